import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import type { Kysely } from 'kysely';
import { lockActiveUser, lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { InternalPrompt, InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { AppError } from '#server/lib/errors';
import { type AskingKind, askingRepository } from './asking-repository.ts';

const waitForRoomMs = 3_000;

/** Result of asking for the next answers. */
export type AskResult =
  | { next: 'more' | 'waits' | 'ended' }
  | { next: 'later'; refusal: Comparison['refusal']; inMs: number };

type Parts = { internalThreads: Pick<InternalThreadService, 'ask'>; rates: Pick<RateLimits, 'use' | 'giveBack'> };

/** Stops when the user has lost the Editor role. */
async function requireEditor(trx: Kysely<Database>, userId: number) {
  const role = await lockActiveUser(trx, userId);
  if (role !== 'Admin' && role !== 'Editor')
    throw new AppError('not_allowed', 'Your role does not allow sending messages.');
}

/** Asks within the user's rate limit, if there is room next to the answers that are `inProgress` here. */
export async function runOnce(
  { internalThreads, rates }: Parts,
  userId: number,
  { overBudget, inProgress, models }: { overBudget: boolean; inProgress: number; models: readonly string[] },
  ask: (trx: Kysely<Database>, askThem: (questions: InternalPrompt[]) => Promise<number[]>) => Promise<void>,
): Promise<AskResult> {
  try {
    await rates.use('messages', String(userId));
    await internalThreads.ask(userId, { overBudget, models }, async (trx, askThem) => {
      await requireEditor(trx, userId);
      await ask(trx, askThem);
    });
    return { next: 'more' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, retryAfterSeconds } = error;
    if (code !== 'rate_limited') await rates.giveBack('messages', String(userId));
    if (code === 'too_many_runs' && inProgress > 0) return { next: 'waits' };
    const passes = code === 'too_many_runs' || code === 'rate_limited' || code === 'unavailable';
    if (!passes) throw error;
    const inMs = retryAfterSeconds === undefined ? waitForRoomMs : retryAfterSeconds * 1_000;
    return { next: 'later', refusal: { code, message }, inMs };
  }
}

type Work = {
  userId: number;
  kind: AskingKind;
  id: number;
  askNext: (overBudget: boolean) => Promise<AskResult>;
  queue: (trx: Kysely<Database>, inMs: number) => Promise<void>;
  /** Called in the transaction that finishes it. */
  onEnded?: (trx: Kysely<Database>, overBudget: boolean) => Promise<void>;
};

/** Nothing more is due: whatever follows is started in the same transaction. */
const finish = (db: Kysely<Database>, { userId, kind, id, onEnded }: Work, overBudget: boolean) =>
  db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    await askingRepository(trx, kind).finish(userId, id);
    await onEnded?.(trx, overBudget);
  });

/** Asks until there is no room, nothing more is due, or asking is refused. The end of an answer wakes it. */
async function resume(db: Kysely<Database>, work: Work) {
  const { userId, kind, id, askNext, queue } = work;
  const rows = askingRepository(db, kind);
  for (;;) {
    const started = await rows.started(userId, id);
    if (!started) return;
    const outcome = await askNext(started.overBudget);
    if (outcome.next === 'more') await rows.setWaiting(userId, id, null);
    if (outcome.next === 'waits') return;
    if (outcome.next === 'ended') return finish(db, work, started.overBudget);
    if (outcome.next !== 'later') continue;
    const { refusal, inMs } = outcome;
    await db.transaction().execute(async (trx) => {
      await askingRepository(trx, kind).setWaiting(userId, id, refusal);
      await queue(trx, inMs);
    });
    return;
  }
}

/** Asks what is due, one after the other, and stops with the reason if asking is refused permanently. */
export async function runPrompts(db: Kysely<Database>, work: Work) {
  try {
    await resume(db, work);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await askingRepository(db, work.kind).stop(work.userId, work.id, { code: error.code, message: error.message });
  }
}

export const failedOutcome = { code: 'internal', message: 'Something went wrong. Start it again.' };
