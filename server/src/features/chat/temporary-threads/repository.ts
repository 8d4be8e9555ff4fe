import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Threads with `expires_at`, which can be opened but are in no list, search or export. */
export function temporaryThreadRepository(db: Kysely<Database>) {
  const own = (userId: number, threadId: number) =>
    db
      .updateTable('threads')
      .where('user_id', '=', userId)
      .where('id', '=', threadId)
      .where('purpose', '=', 'temporary');

  return {
    /** Both return the creation time, or undefined if the thread is not temporary. */
    async expireAt(userId: number, threadId: number, at: (createdAt: string) => string): Promise<string | undefined> {
      const row = await db
        .selectFrom('threads')
        .select('created_at')
        .where('user_id', '=', userId)
        .where('id', '=', threadId)
        .where('purpose', '=', 'temporary')
        .executeTakeFirst();
      if (row)
        await own(userId, threadId)
          .set({ expires_at: at(row.created_at) })
          .execute();
      return row?.created_at;
    },
    /** Makes it an ordinary thread, and its usage that of one. */
    async keep(userId: number, threadId: number): Promise<string | undefined> {
      const row = await own(userId, threadId)
        .set({ purpose: 'chat', expires_at: null, trial_settings: null })
        .returning('title')
        .executeTakeFirst();
      if (row)
        await db
          .updateTable('usage_records')
          .set({ temporary: 0 })
          .where('thread_id', '=', threadId)
          .where(sql<boolean>`temporary = 1`)
          .where('user_id', '=', userId)
          .execute();
      return row?.title;
    },
    /** The next messages of a thread, by id. */
    messages: (userId: number, threadId: number, after: number, limit: number) =>
      db
        .selectFrom('messages')
        .select(['id', 'text'])
        .where('thread_id', '=', threadId)
        .where(sql<boolean>`+user_id = ${userId}`)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    expired: (now: string, limit: number): Promise<{ id: number; userId: number }[]> =>
      db
        .selectFrom('threads')
        .select(['id', 'user_id as userId'])
        .where('purpose', '=', 'temporary')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),
    /** Files that tools generated for its answers and that nothing else uses. */
    async generatedFiles(userId: number, threadId: number): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        with own as (select id, role from messages where thread_id = ${threadId} and +user_id = ${userId})
        select distinct f.file_id as id from message_files f join own on own.id = f.message_id
        where own.role = 'assistant' and f.file_id is not null and not exists (
          select 1 from file_uses u where u.file_id = f.file_id
            and not (u.used_by = 'message' and u.used_by_id in (select id from own)))`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}
