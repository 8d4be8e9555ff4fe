import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import type {
  testSets as api,
  NewTestRun,
  TestCounts,
  TestRun,
  TestRunEstimate,
} from '@roster/contracts/comparisons/test-sets';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { draftRepository } from '#server/features/comparisons/drafts/repository';
import type { DraftedAssistants } from '#server/features/comparisons/drafts/service';
import { modelsOf } from '#server/features/comparisons/shared/answers';
import type { AskingParts } from '#server/features/comparisons/shared/ask-prompt';
import { judgingRepository } from '#server/features/comparisons/shared/judging-repository';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import { storeComparison } from '#server/features/comparisons/shared/service';
import { startAsking } from '#server/features/comparisons/shared/start';
import type { ModelService } from '#server/features/models/service';
import type { PricingService } from '#server/features/usage/pricing';
import { toPage } from '#server/http/paging';
import type { Actor } from '#server/security/actor';
import { createRun, findTested, modelsOfRun, type RunParts, runNotFound } from './create-run.ts';
import { runEstimate } from './estimate.ts';
import { testSetRepository } from './repository.ts';
import { resultRepository } from './result-repository.ts';

export type RunningParts = RunParts &
  AskingParts & {
    database: Pick<OpenDatabase, 'db'>;
    internalThreads: Pick<InternalThreadService, 'check'>;
    pricing: Pick<PricingService, 'price'>;
    models: Pick<ModelService, 'usable'>;
    assistants: Pick<DraftedAssistants, 'checkChanges'>;
  };

const nothingCounted = (): TestCounts => ({ unchanged: 0, better: 0, worse: 0, open: 0, new: 0, unanswered: 0 });

/** Runs with their results. */
export async function withResults(
  db: Kysely<Database>,
  userId: number,
  comparisons: readonly Comparison[],
): Promise<TestRun[]> {
  const rows = resultRepository(db);
  const ids = comparisons.map(({ id }) => id);
  const byRun = Map.groupBy(await rows.results(userId, ids), ({ runId }) => runId);
  const judged = await rows.judged(userId, ids);
  return comparisons.map((comparison) => {
    const counts = nothingCounted();
    for (const { result } of byRun.get(comparison.id) ?? []) counts[result]++;
    return { ...comparison, counts, isJudging: judged.has(comparison.id) };
  });
}

/** Refuses outside the transaction what needs none: changes that could not be saved, models that the key cannot use. */
async function ask(parts: RunningParts, userId: number, setId: number, wanted: NewTestRun) {
  const { db } = parts.database;
  const { assistant } = await findTested(parts, { db, userId }, setId);
  if (wanted.candidate.kind === 'draft')
    await parts.assistants.checkChanges(userId, assistant, wanted.candidate.changes);
  return parts.models.usable(userId, await modelsOfRun(parts, { db, userId }, assistant, wanted));
}

async function estimate(parts: RunningParts, userId: number, setId: number, wanted: NewTestRun) {
  const { db } = parts.database;
  const usable = await ask(parts, userId, setId, wanted);
  const prepared = await createRun(parts, { db, userId, usable }, setId, wanted);
  return runEstimate(parts.pricing, userId, prepared, wanted.judge);
}

async function run(
  parts: RunningParts,
  { userId, recheckAccess }: Actor,
  setId: number,
  { overBudget = false, ...wanted }: z.output<typeof api.run.body>,
): Promise<TestRun> {
  const { db } = parts.database;
  const usable = await ask(parts, userId, setId, wanted);
  const planned = await createRun(parts, { db, userId, usable }, setId, wanted);
  await parts.internalThreads.check(userId, { overBudget, models: modelsOf(planned.comparison) });
  const id = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    await parts.assistantsIn(trx).lock(userId);
    // As it is now: what the first check found may have changed.
    const { comparison, prompts, changes } = await createRun(parts, { db: trx, userId, usable }, setId, wanted);
    const made = await storeComparison(trx, userId, comparison, prompts);
    if (changes) await draftRepository(trx).set(userId, made, changes);
    if (comparison.baseline !== null && wanted.judge !== null)
      await judgingRepository(trx).insert(userId, made, wanted.judge, { follows: true });
    await startAsking(parts, trx, userId, made, overBudget);
    return made;
  });
  const comparison = await comparisonRepository(db).some(userId, [id]);
  const [stored] = await withResults(db, userId, comparison);
  if (!stored) throw runNotFound();
  return stored;
}

async function results({ database: { db } }: RunningParts, userId: number, runId: number) {
  const set = (await testSetRepository(db).ofRuns(userId, [runId])).get(runId);
  const [stored] = await withResults(db, userId, await comparisonRepository(db).some(userId, [runId]));
  if (!set || !stored) throw runNotFound();
  const items = await resultRepository(db).results(userId, [runId]);
  return { set, run: stored, items: items.map(({ runId: _, ...item }) => item) };
}

/** Runs of test sets with an assistant, a draft or a model, and their results. */
export function runningService(parts: RunningParts) {
  const { db } = parts.database;
  return {
    async runs(userId: number, setId: number, { limit, cursor }: z.output<typeof api.runs.query>) {
      await findTested(parts, { db, userId }, setId);
      const found = await comparisonRepository(db).page(userId, limit + 1, { before: cursor, testSetId: setId });
      const { items, nextCursor } = toPage(found, limit, ({ id }) => String(id));
      return { items: await withResults(db, userId, items), nextCursor };
    },
    estimate: (userId: number, setId: number, wanted: NewTestRun): Promise<TestRunEstimate> =>
      estimate(parts, userId, setId, wanted),
    run: (actor: Actor, setId: number, wanted: z.output<typeof api.run.body>) => run(parts, actor, setId, wanted),
    results: (userId: number, runId: number) => results(parts, userId, runId),
  };
}
