import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { searchWords } from '#server/db/search-words';

type Index = 'thread_search' | 'message_search';
type Entry = { id: number; userId: number; text: string };

/** The text of a temporary thread is never indexed, by no caller. */
const isOfTemporaryThread = (index: Index, id: RawBuilder<number>) =>
  index === 'thread_search'
    ? sql`exists (select 1 from threads where threads.id = ${id} and threads.purpose = 'temporary')`
    : sql`exists (select 1 from messages join threads on threads.id = messages.thread_id
        where messages.id = ${id} and threads.purpose = 'temporary')`;

const putOn = (index: Index) => ({
  postgres: prepared(
    (
      _db,
      at: Params<{ id: number; userId: number; words: string }>,
    ) => sql`insert into ${sql.table(index)} (id, user_id, words)
      select cast(${at('id')} as integer), cast(${at('userId')} as integer), to_tsvector('simple', cast(${at('words')} as text))
      where not ${isOfTemporaryThread(index, sql`cast(${at('id')} as integer)`)}
      on conflict (id) do update set words = excluded.words`,
  ),
  sqlite: prepared(
    (
      _db,
      at: Params<{ id: number; owner: string; words: string }>,
    ) => sql`insert or replace into ${sql.table(index)} (rowid, owner, words)
      select ${at('id')}, ${at('owner')}, ${at('words')} where not ${isOfTemporaryThread(index, at('id'))}`,
  ),
});
const forgetEntry = prepared(
  (_db, at: Params<{ id: number }>) => sql`delete from message_search where rowid = ${at('id')}`,
);
const puts = { thread_search: putOn('thread_search'), message_search: putOn('message_search') };

/**
 * The index for full-text search over titles, messages and file names: FTS5 on SQLite, tsvector on PostgreSQL. Words
 * match as prefixes, so results appear while the user types.
 */
export function searchRepository(db: Kysely<Database>) {
  async function put(index: Index, userId: number, id: number, text: string) {
    const words = searchWords(text);
    const put = puts[index];
    if (isPostgres(db)) await put.postgres.changed(db, { id, userId, words });
    else await put.sqlite.changed(db, { id, owner: `u${userId}`, words });
  }

  return {
    putTitle: (userId: number, threadId: number, title: string) => put('thread_search', userId, threadId, title),
    /** Includes the names of attached files. */
    putMessage: (userId: number, messageId: number, text: string, filenames: string[] = []) =>
      put('message_search', userId, messageId, [...filenames, text].join('\n')),
    /** For restoring a backup: none of the entries exists yet. */
    async putAll(index: Index, entries: Entry[]) {
      if (entries.length === 0) return;
      if (!isPostgres(db)) for (const { id, userId, text } of entries) await put(index, userId, id, text);
      else
        await sql`insert into ${sql.table(index)} (id, user_id, words)
          select id, user_id, to_tsvector('simple', words) from unnest(
            ${entries.map(({ id }) => id)}::integer[], ${entries.map(({ userId }) => userId)}::integer[],
            ${entries.map(({ text }) => searchWords(text))}::text[]) as entry (id, user_id, words)`.execute(db);
    },
    /**
     * Drops the GIN indexes before a bulk insert and returns a function that recreates them: building once takes a
     * tenth of the time on PostgreSQL.
     */
    async withoutIndex(): Promise<() => Promise<void>> {
      if (!isPostgres(db)) return async () => undefined;
      const { rows } = await sql<{ indexname: string; indexdef: string }>`select indexname, indexdef from pg_indexes
        where schemaname = current_schema() and tablename in ('thread_search', 'message_search')
          and indexdef like '% USING gin %'`.execute(db);
      for (const { indexname } of rows) await sql`drop index ${sql.id(indexname)}`.execute(db);
      return async () => {
        for (const { indexdef } of rows) await sql.raw(indexdef).execute(db);
      };
    },
    /** Call before the rows are deleted. PostgreSQL deletes the entries by cascade. */
    async forgetThread(userId: number, threadId: number) {
      if (isPostgres(db)) return;
      const messages = await db
        .selectFrom('messages')
        .select('id')
        .where('thread_id', '=', threadId)
        .where(sql<boolean>`+user_id = ${userId}`)
        .execute();
      // One by one: FTS5 reads its whole index for a list of ids.
      for (const { id } of messages) await forgetEntry.changed(db, { id });
      await sql`delete from thread_search where rowid = ${threadId}`.execute(db);
    },
    async forgetMessage(messageId: number) {
      if (isPostgres(db)) return;
      await forgetEntry.changed(db, { id: messageId });
    },
    /** Merges the SQLite index in small steps; call when idle, because automatic merging is off. */
    async merge() {
      if (isPostgres(db)) return;
      for (const index of ['message_search', 'thread_search'])
        await sql`insert into ${sql.table(index)} (${sql.ref(index)}, rank) values ('merge', 200)`.execute(db);
    },
  };
}

export type SearchRepository = ReturnType<typeof searchRepository>;
