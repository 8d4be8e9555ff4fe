import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { jobHandler } from '#server/jobs/define';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { concurrentAnswers, isActive, modelsOf, sidesToAsk, threadsOf, toShown } from './answers.ts';
import { type AskingParts, askSides, findComparison } from './ask-prompt.ts';
import { askingRepository } from './asking-repository.ts';
import { type AskResult, failedOutcome, runOnce, runPrompts } from './prompt-runner.ts';
import { type Asking, askJob, queueAsking } from './queue.ts';
import { comparisonRepository } from './repository.ts';

type Dependencies = AskingParts & {
  internalThreads: Pick<InternalThreadService, 'check' | 'stop'>;
  rates: Pick<RateLimits, 'use' | 'giveBack'>;
  /** Called in the transaction in which everything was asked and has ended. */
  afterStart: (trx: Kysely<Database>, userId: number, comparisonId: number, overBudget: boolean) => Promise<void>;
};

/** Prompts without an answer, excluding those that are being answered. */
async function openPrompts(
  { internalThreads }: AskingParts,
  db: Kysely<Database>,
  userId: number,
  comparison: Comparison,
) {
  const prompts = await comparisonRepository(db).prompts(userId, comparison.id);
  const answers = await internalThreads.answers(userId, threadsOf(prompts), db);
  return prompts.filter((prompt) => sidesToAsk(comparison, toShown(prompt, answers), false).length > 0);
}

/** In the transaction of its cause: marks open prompts as due. */
export async function startAsking(
  parts: AskingParts,
  trx: Kysely<Database>,
  userId: number,
  id: number,
  overBudget: boolean,
) {
  const comparison = await findComparison(comparisonRepository(trx), userId, id);
  if (comparison.state === 'asking') return;
  const open = await openPrompts(parts, trx, userId, comparison);
  if (open.length === 0) throw new AppError('conflict', 'Every prompt has already been answered.');
  const promptIds = open.map((prompt) => prompt.id);
  await askingRepository(trx, 'comparison').begin(userId, id, overBudget);
  await comparisonRepository(trx).setDue(userId, id, promptIds);
  await queueAsking(trx, { userId, comparisonId: id });
}

/** Repeats what a crash or a failure has cut off. This happens only here, at a user's request. */
async function start(parts: Dependencies, { userId, recheckAccess }: Actor, id: number, overBudget: boolean) {
  const { db } = parts.database;
  const comparison = await findComparison(comparisonRepository(db), userId, id);
  await parts.internalThreads.check(userId, { overBudget, models: modelsOf(comparison) });
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await startAsking(parts, trx, userId, id, overBudget);
  });
  return findComparison(comparisonRepository(db), userId, id);
}

async function stop({ database, internalThreads }: Dependencies, userId: number, id: number): Promise<Comparison> {
  const rows = comparisonRepository(database.db);
  await findComparison(rows, userId, id);
  await database.db.transaction().execute((trx) => askingRepository(trx, 'comparison').stop(userId, id, null));
  await internalThreads.stop(userId, await rows.threadIds(userId, id));
  return findComparison(rows, userId, id);
}

/** Asks the next due prompt, if there is room for its answers. */
async function askNext(parts: Dependencies, { userId, comparisonId }: Asking, overBudget: boolean): Promise<AskResult> {
  const { database, internalThreads } = parts;
  const rows = comparisonRepository(database.db);
  const comparison = await rows.find(userId, comparisonId);
  if (!comparison) return { next: 'waits' };
  const prompts = await rows.prompts(userId, comparisonId);
  const answers = await internalThreads.answers(userId, threadsOf(prompts));
  const inProgress = [...answers.values()].filter(isActive).length;
  const due = prompts.find(({ isDue }) => isDue);
  if (!due) return { next: inProgress === 0 ? 'ended' : 'waits' };
  const sides = sidesToAsk(comparison, toShown(due, answers), false);
  if (inProgress > 0 && inProgress + sides.length > concurrentAnswers) return { next: 'waits' };
  return runOnce(parts, userId, { overBudget, inProgress, models: modelsOf(comparison) }, async (trx, askThem) => {
    if (await askingRepository(trx, 'comparison').take(userId, comparisonId, due.id))
      await askSides(parts, trx, askThem, userId, comparison, due.id, false);
  });
}

/** Comparisons that the server asks by itself: due prompts are stored, and asked once, whatever fails in between. */
export function createComparisonRunner(parts: Dependencies) {
  const { db } = parts.database;
  return {
    start: (actor: Actor, id: number, { overBudget = false }: { overBudget?: boolean | undefined }) =>
      start(parts, actor, id, overBudget),
    stop: (userId: number, id: number) => stop(parts, userId, id),
    jobs: [
      jobHandler(
        askJob,
        (asking) =>
          runPrompts(db, {
            userId: asking.userId,
            id: asking.comparisonId,
            kind: 'comparison',
            askNext: (overBudget) => askNext(parts, asking, overBudget),
            queue: (trx, inMs) => queueAsking(trx, asking, inMs),
            onEnded: (trx, overBudget) => parts.afterStart(trx, asking.userId, asking.comparisonId, overBudget),
          }),
        ({ userId, comparisonId }) => askingRepository(db, 'comparison').stop(userId, comparisonId, failedOutcome),
      ),
    ],
  };
}
