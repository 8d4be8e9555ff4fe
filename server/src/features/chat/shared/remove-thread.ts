import type { Kysely } from 'kysely';
import { lockRuns } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';

/** Permanently deletes a thread with all branches. false: it does not exist. */
export const deleteThread = (db: Kysely<Database>, userId: number, threadId: number): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    await lockRuns(trx, userId, threadId);
    await searchRepository(trx).forgetThread(userId, threadId);
    return threadRepository(trx).delete(userId, threadId);
  });

/** Stops the active runs of these threads. */
export async function stopRunsOf(
  db: Kysely<Database>,
  executor: { stop: (userId: number, runId: number) => Promise<unknown> },
  userId: number,
  threadIds: readonly number[],
) {
  const wanted = new Set(threadIds);
  for (const run of await runRepository(db).inProgress(userId))
    if (wanted.has(run.threadId)) await executor.stop(userId, run.id);
}
