import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { type BusyThread, runRepository } from './repository.ts';

/** Refused, because an answer is being written in the conversation, or a program is to say what its functions have answered. */
export class RunUnderWay extends AppError {
  override name = 'RunUnderWay';
  /** Of a program's run the first of its chain, by which programs know it. */
  readonly runId: number;
  constructor({ runId, isWaiting }: Pick<BusyThread, 'runId' | 'isWaiting'>) {
    super(
      'run_in_progress',
      isWaiting
        ? 'A program is to answer functions that were called in this conversation. Wait until it has, ten minutes at most.'
        : 'An answer is still being written in this conversation. Stop it or wait for it.',
    );
    this.runId = runId;
  }
}

/** Inside the transaction that has the conversation's row. @throws RunUnderWay */
export async function refuseWhileRunning(trx: Kysely<Database>, userId: number, threadId: number) {
  const active = (await runRepository(trx).busy(userId)).find((run) => run.threadId === threadId);
  if (active) throw new RunUnderWay(active);
}
