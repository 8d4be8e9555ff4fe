import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import type { Database } from '#server/db/schema';
import { type BusyThread, runRepository } from './run-repository.ts';

/** Threads with an active run, per user. */
export const maxActiveThreads = 3;

/** API runs have their own limit; runs waiting for approval do not count. */
export const countsAsActive = ({ isApiRun, waitsFor }: BusyThread) => !isApiRun && waitsFor !== 'approval';

/** Call in a transaction that holds the thread's row. @throws RunActiveError */
export async function rejectActiveThread(trx: Kysely<Database>, userId: number, threadId: number) {
  const active = (await runRepository(trx).busy(userId)).find((run) => run.threadId === threadId);
  if (active) throw new RunActiveError(active);
}
