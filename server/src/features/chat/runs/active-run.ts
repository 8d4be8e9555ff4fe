import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { runRepository } from './repository.ts';

/** Refused, because an answer is being written in the conversation. */
export class RunUnderWay extends AppError {
  override name = 'RunUnderWay';
  readonly runId: number;
  constructor(runId: number) {
    super('run_in_progress', 'An answer is still being written in this conversation. Stop it or wait for it.');
    this.runId = runId;
  }
}

/** Inside the transaction that has the conversation's row. @throws RunUnderWay */
export async function refuseWhileRunning(trx: Kysely<Database>, userId: number, threadId: number) {
  const active = (await runRepository(trx).underWay(userId)).find((run) => run.threadId === threadId);
  if (active) throw new RunUnderWay(active.id);
}
