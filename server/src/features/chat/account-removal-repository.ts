import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { lockRuns, lockThreads } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { searchRepository } from './search/repository.ts';
import { threadRepository } from './threads/repository.ts';

const threadsAtOnce = 20;

/** Deletes all conversations of a person, as far as they do not go with the person. */
export async function deleteConversations(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) {
    // In the order in which the deletion of a thread takes them; the words in the search go with their rows.
    await lockRuns(trx, userId);
    await lockThreads(trx, userId);
    return;
  }
  const search = searchRepository(trx);
  const threads = threadRepository(trx);
  for (;;) {
    const some = await threads.some(userId, threadsAtOnce);
    if (some.length === 0) return;
    for (const { id } of some) {
      await search.forgetThread(userId, id);
      await threads.delete(userId, id);
    }
    // SQLite answers synchronously: between the steps, streams are served.
    await turnOfOthers();
  }
}
