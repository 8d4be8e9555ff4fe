import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { lockRuns } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';

/** For undoing an import. */
export function importRemovalRepository(db: Kysely<Database>) {
  const ownMessages = sql<boolean>`exists
    (select 1 from messages where messages.thread_id = threads.id and messages.import_id is null)`;

  return {
    /** The threads that an import has brought, by id; those that were continued since are left out. */
    async untouched(userId: number, importId: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('threads')
        .select('id')
        .where('import_id', '=', importId)
        .where('user_id', '=', userId)
        .where(({ not }) => not(ownMessages))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async countContinued(userId: number, importId: number): Promise<number> {
      const { count } = await db
        .selectFrom('threads')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('import_id', '=', importId)
        .where('user_id', '=', userId)
        .where(ownMessages)
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Deletes a thread, unless it has been continued. Call in a transaction. */
    async removeThread(userId: number, threadId: number) {
      await lockRuns(db, userId, threadId);
      const thread = db
        .selectFrom('threads')
        .select('id')
        .where('id', '=', threadId)
        .where(({ not }) => not(ownMessages));
      if (!(await (isPostgres(db) ? thread.forUpdate() : thread).executeTakeFirst())) return;
      await searchRepository(db).forgetThread(userId, threadId);
      await threadRepository(db).delete(userId, threadId);
    },
    /** Threads of other imports to which this one has added messages that nothing follows. */
    async extended(userId: number, importId: number, after: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('messages')
        .innerJoin('threads', 'threads.id', 'messages.thread_id')
        .select('threads.id')
        .distinct()
        .where('messages.import_id', '=', importId)
        .where('messages.user_id', '=', userId)
        .where('threads.import_id', '!=', importId)
        .where('threads.id', '>', after)
        .orderBy('threads.id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Deletes what an import has added to a thread, apart from messages that others follow. Call in a transaction. */
    async removeAdded(userId: number, importId: number, threadId: number) {
      const thread = db.selectFrom('threads').select('head_message_id as head').where('id', '=', threadId);
      const found = await (isPostgres(db) ? thread.forUpdate() : thread).executeTakeFirst();
      const { rows } = await sql<{ id: number }>`
        with recursive followed (id) as (
          select parent_id from messages where thread_id = ${threadId} and (import_id is null or import_id <> ${importId})
          union
          select m.parent_id from messages m join followed f on m.id = f.id
        ) select id from messages where thread_id = ${threadId} and import_id = ${importId} and user_id = ${userId}
          and id not in (select id from followed where id is not null)`.execute(db);
      const ids = rows.map(({ id }) => id);
      if (ids.length === 0) return;
      const search = searchRepository(db);
      for (const id of ids) await search.forgetMessage(id);
      // SQLite follows a cascade for at most 1,000 steps.
      await db.updateTable('messages').set({ parent_id: null }).where('id', 'in', ids).execute();
      await db.deleteFrom('messages').where('id', 'in', ids).execute();
      if (!found || !ids.includes(found.head ?? 0)) return;
      const last = await db
        .selectFrom('messages')
        .select((eb) => eb.fn.max('id').as('id'))
        .where('thread_id', '=', threadId)
        .executeTakeFirst();
      await threadRepository(db).showAnotherEnd(userId, threadId, last?.id ?? null);
    },
  };
}
