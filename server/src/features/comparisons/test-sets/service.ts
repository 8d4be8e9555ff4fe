import type { Assistant } from '@roster/contracts/assistants/assistants';
import {
  type testSets as api,
  type TestSet,
  type TestSetDetail,
  testSetLimit,
} from '@roster/contracts/comparisons/test-sets';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { removeRunsJob } from '#server/features/comparisons/shared/queue';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import { removeComparison } from '#server/features/comparisons/shared/service';
import { jobHandler } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import type { Actor } from '#server/security/actor';
import { findTested, testSetNotFound } from './create-run.ts';
import { type QuestionSources, resolveQuestions } from './questions.ts';
import { type TestSetRecord, testSetRepository } from './repository.ts';
import { type RunningParts, withResults } from './run.ts';

type Dependencies = RunningParts &
  QuestionSources & { internalThreads: Pick<InternalThreadService, 'ask' | 'stop' | 'remove'> };

const removedAtOnce = 20;

async function findAssistant({ assistantsIn }: Dependencies, db: Kysely<Database>, userId: number, id: number) {
  const assistant = await assistantsIn(db).find(userId, id);
  if (!assistant) throw new AppError('not_found', 'Assistant not found.');
  return assistant;
}

/** Sets of one assistant, each with its newest run. */
async function toSets(
  db: Kysely<Database>,
  userId: number,
  { id, name, version, model }: Assistant,
  records: readonly TestSetRecord[],
): Promise<TestSet[]> {
  const newest = records.flatMap(({ newestRunId }) => newestRunId ?? []);
  const runs = await withResults(db, userId, await comparisonRepository(db).some(userId, newest));
  return records.map(({ assistantId: _, newestRunId, ...record }) => ({
    ...record,
    assistant: { id, name, version, model },
    newestRun: runs.find((run) => run.id === newestRunId) ?? null,
  }));
}

async function whole(parts: Dependencies, userId: number, setId: number): Promise<TestSetDetail> {
  const { db } = parts.database;
  const { set, assistant } = await findTested(parts, { db, userId }, setId);
  const [shown] = await toSets(db, userId, assistant, [set]);
  if (!shown) throw testSetNotFound();
  return { ...shown, items: await testSetRepository(db).questions(userId, setId) };
}

async function create(
  parts: Dependencies,
  { userId, recheckAccess }: Actor,
  assistantId: number,
  { name, questions: drafts }: z.output<typeof api.create.body>,
): Promise<TestSetDetail> {
  const { db } = parts.database;
  await findAssistant(parts, db, userId, assistantId);
  const questions = await resolveQuestions(parts, userId, assistantId, drafts, []);
  const id = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    await findAssistant(parts, trx, userId, assistantId);
    const sets = testSetRepository(trx);
    if ((await sets.count(userId, assistantId)) >= testSetLimit)
      throw new AppError('conflict', `An assistant can have ${testSetLimit} test sets. Delete one of them first.`);
    return sets.insert(userId, assistantId, { name, questions }, new Date().toISOString());
  });
  return whole(parts, userId, id);
}

async function update(
  parts: Dependencies,
  { userId, recheckAccess }: Actor,
  setId: number,
  { name, questions: drafts }: z.output<typeof api.update.body>,
): Promise<TestSetDetail> {
  const { db } = parts.database;
  const { set } = await findTested(parts, { db, userId }, setId);
  const kept = await testSetRepository(db).questions(userId, setId);
  const questions = drafts && (await resolveQuestions(parts, userId, set.assistantId, drafts, kept));
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const sets = testSetRepository(trx);
    const { set: now } = await findTested(parts, { db: trx, userId }, setId);
    if (questions && now.updatedAt !== set.updatedAt)
      throw new AppError('conflict', 'This test set was changed in the meantime. Open it again to see its questions.');
    await sets.touch(userId, setId, { name, at: new Date().toISOString() });
    if (questions) await sets.replaceQuestions(userId, setId, questions);
  });
  return whole(parts, userId, setId);
}

/** The set is deleted at once; its runs, which nobody sees any more, are removed one after the other. */
async function remove({ database: { db } }: Dependencies, userId: number, setId: number) {
  await db.transaction().execute(async (trx) => {
    if (!(await testSetRepository(trx).delete(userId, setId))) throw testSetNotFound();
    await enqueueOnce(trx, removeRunsJob, { userId });
  });
}

/** Removes what is left of runs whose set was deleted, alone or with its assistant. */
async function removeLeft(parts: Dependencies, userId?: number) {
  const rows = comparisonRepository(parts.database.db);
  for (;;) {
    const left = await rows.leftRuns(removedAtOnce, userId);
    for (const run of left) await removeComparison(parts, run.userId, run.id);
    if (left.length === 0) return;
  }
}

/** Saved questions of assistants. */
export function testSetService(parts: Dependencies) {
  const { db } = parts.database;
  const upkeep: ScheduledTask[] = [{ everyMs: hourMs, atStart: true, run: () => removeLeft(parts) }];
  return {
    async list(userId: number, assistantId: number): Promise<{ items: TestSet[] }> {
      const assistant = await findAssistant(parts, db, userId, assistantId);
      return { items: await toSets(db, userId, assistant, await testSetRepository(db).list(userId, assistantId)) };
    },
    find: (userId: number, setId: number) => whole(parts, userId, setId),
    create: (actor: Actor, assistantId: number, draft: z.output<typeof api.create.body>) =>
      create(parts, actor, assistantId, draft),
    update: (actor: Actor, setId: number, change: z.output<typeof api.update.body>) =>
      update(parts, actor, setId, change),
    remove: (userId: number, setId: number) => remove(parts, userId, setId),
    jobs: [jobHandler(removeRunsJob, ({ userId }) => removeLeft(parts, userId))],
    upkeep,
  };
}
