import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import type { Database } from '#server/db/schema';
import { runRepository } from './repository.ts';

/** Inside the transaction that has the conversation's row. @throws RunActiveError */
export async function refuseWhileRunning(trx: Kysely<Database>, userId: number, threadId: number) {
  const active = (await runRepository(trx).busy(userId)).find((run) => run.threadId === threadId);
  if (active) throw new RunActiveError(active);
}
