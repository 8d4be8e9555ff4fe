import {
  type comparisonJudging as api,
  type Judging,
  type JudgingDetail,
  type JudgingDraft,
  judgingLimit,
} from '@roster/contracts/comparisons/judging';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { comparisonNotFound } from '#server/features/comparisons/shared/answers';
import { findComparison } from '#server/features/comparisons/shared/ask-prompt';
import { askingRepository } from '#server/features/comparisons/shared/asking-repository';
import { type JudgingRecord, judgingRepository } from '#server/features/comparisons/shared/judging-repository';
import { queueJudging } from '#server/features/comparisons/shared/queue';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import type { PricingService } from '#server/features/usage/pricing';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { estimateJudging } from './estimate.ts';
import { type JudgingParts, judgingJob, loadJudged } from './judge.ts';
import { allToJudge, summarizeVerdicts, toJudging } from './verdicts.ts';

type Dependencies = JudgingParts & { pricing: Pick<PricingService, 'price'> };

type Ids = z.output<typeof api.judging.params>;

async function findJudging(db: Kysely<Database>, userId: number, { id, judgingId }: Ids): Promise<JudgingRecord> {
  const judging = await judgingRepository(db).find(userId, judgingId);
  if (judging?.comparisonId !== id) throw new AppError('not_found', 'This judgment does not exist.');
  return judging;
}

async function judgedOf(
  parts: JudgingParts,
  db: Kysely<Database>,
  userId: number,
  judging: Parameters<typeof loadJudged>[3],
) {
  const judged = await loadJudged(parts, db, userId, judging);
  if (!judged) throw comparisonNotFound();
  return judged;
}

/** In the transaction of its cause: marks open prompts as due. */
async function begin(
  parts: JudgingParts,
  trx: Kysely<Database>,
  userId: number,
  judging: JudgingRecord,
  overBudget: boolean,
) {
  const judged = await judgedOf(parts, trx, userId, judging);
  if (judged.comparison.baseline === null)
    throw new AppError('conflict', 'There is only one answer here. A judge needs two.');
  const open = allToJudge(judged).map(({ prompt }) => prompt.id);
  if (open.length === 0)
    throw new AppError(
      'conflict',
      judged.verdicts.length > 0
        ? 'Every answered prompt has already been judged.'
        : 'No prompt has two complete answers yet. Run the comparison first.',
    );
  await makeDue(trx, userId, judging.id, open, overBudget);
}

async function makeDue(
  trx: Kysely<Database>,
  userId: number,
  judgingId: number,
  open: readonly number[],
  overBudget: boolean,
) {
  await askingRepository(trx, 'judging').begin(userId, judgingId, overBudget);
  await judgingRepository(trx).clearFollows(userId, judgingId);
  await judgingRepository(trx).setDue(userId, judgingId, open);
  await queueJudging(trx, { userId, judgingId });
}

/** In the transaction in which the prompts of a comparison have been asked: starts the judgings that follow. */
async function follow(
  parts: JudgingParts,
  trx: Kysely<Database>,
  userId: number,
  comparisonId: number,
  overBudget: boolean,
) {
  const rows = judgingRepository(trx);
  for (const judging of await rows.following(userId, comparisonId)) {
    const open = allToJudge(await judgedOf(parts, trx, userId, judging)).map(({ prompt }) => prompt.id);
    if (open.length === 0) await rows.clearFollows(userId, judging.id);
    else await makeDue(trx, userId, judging.id, open, overBudget);
  }
}

async function create(
  parts: Dependencies,
  { userId, recheckAccess }: Actor,
  comparisonId: number,
  { overBudget = false, ...draft }: z.output<typeof api.create.body>,
): Promise<Judging> {
  const { db } = parts.database;
  await findComparison(comparisonRepository(db), userId, comparisonId);
  await parts.internalThreads.check(userId, { overBudget, models: [draft.model] });
  const judgingId = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    await findComparison(comparisonRepository(trx), userId, comparisonId);
    const rows = judgingRepository(trx);
    if ((await rows.list(userId, comparisonId)).length >= judgingLimit)
      throw new AppError('conflict', `A comparison can be judged ${judgingLimit} times. Delete a judgment first.`);
    const id = await rows.insert(userId, comparisonId, draft);
    await begin(parts, trx, userId, await findJudging(trx, userId, { id: comparisonId, judgingId: id }), overBudget);
    return id;
  });
  return toJudging(await findJudging(db, userId, { id: comparisonId, judgingId }));
}

/** Repeats what a crash or a failure has cut off. This happens only here, at a user's request. */
async function start(parts: Dependencies, { userId, recheckAccess }: Actor, ids: Ids, overBudget: boolean) {
  const { db } = parts.database;
  const { model } = await findJudging(db, userId, ids);
  await parts.internalThreads.check(userId, { overBudget, models: [model] });
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const judging = await findJudging(trx, userId, ids);
    if (judging.state === 'idle') await begin(parts, trx, userId, judging, overBudget);
  });
  return toJudging(await findJudging(db, userId, ids));
}

async function stop({ database: { db }, internalThreads }: Dependencies, userId: number, ids: Ids): Promise<Judging> {
  const { id: judgingId } = await findJudging(db, userId, ids);
  await db.transaction().execute(async (trx) => {
    await askingRepository(trx, 'judging').stop(userId, judgingId, null);
    await judgingRepository(trx).clearFollows(userId, judgingId);
  });
  await internalThreads.stop(userId, await judgingRepository(db).threadIds(userId, { judgingId }));
  return toJudging(await findJudging(db, userId, ids));
}

async function remove(parts: Dependencies, userId: number, ids: Ids) {
  await stop(parts, userId, ids);
  const { id, judgingId } = ids;
  await parts.database.db.transaction().execute(async (trx) => {
    const rows = judgingRepository(trx);
    await parts.internalThreads.remove(trx, userId, () => rows.threadIds(userId, { judgingId }));
    await rows.delete(userId, id, judgingId);
  });
}

export function judgingService(parts: Dependencies) {
  const { db } = parts.database;
  return {
    async list(userId: number, comparisonId: number): Promise<{ items: Judging[] }> {
      await findComparison(comparisonRepository(db), userId, comparisonId);
      return { items: (await judgingRepository(db).list(userId, comparisonId)).map(toJudging) };
    },
    async find(userId: number, ids: Ids): Promise<JudgingDetail> {
      const judging = await findJudging(db, userId, ids);
      const judged = await judgedOf(parts, db, userId, judging);
      return {
        ...toJudging(judging),
        ...summarizeVerdicts(judged),
        open: allToJudge(judged).length,
        estimate: await estimateJudging(parts.pricing, userId, judged),
      };
    },
    async estimate(userId: number, comparisonId: number, draft: JudgingDraft) {
      return estimateJudging(parts.pricing, userId, await judgedOf(parts, db, userId, { comparisonId, ...draft }));
    },
    create: (actor: Actor, comparisonId: number, draft: z.output<typeof api.create.body>) =>
      create(parts, actor, comparisonId, draft),
    start: (actor: Actor, ids: Ids, { overBudget = false }: z.output<typeof api.start.body>) =>
      start(parts, actor, ids, overBudget),
    stop: (userId: number, ids: Ids) => stop(parts, userId, ids),
    remove: (userId: number, ids: Ids) => remove(parts, userId, ids),
    follow: (trx: Kysely<Database>, userId: number, comparisonId: number, overBudget: boolean) =>
      follow(parts, trx, userId, comparisonId, overBudget),
    jobs: [judgingJob(parts)],
  };
}
