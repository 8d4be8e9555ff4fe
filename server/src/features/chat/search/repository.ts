import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { searchWords } from '#server/db/search-words';
import { literalsOf, type Word, wordsOf } from './words.ts';

type Index = 'thread_search' | 'message_search';
type Entry = { id: number; userId: number; text: string };

const putOn = (index: Index) => ({
  postgres: prepared(
    (
      _db,
      at: Params<{ id: number; userId: number; words: string }>,
    ) => sql`insert into ${sql.table(index)} (id, user_id, words)
      values (${at('id')}, ${at('userId')}, to_tsvector('simple', ${at('words')}))
      on conflict (id) do update set words = excluded.words`,
  ),
  sqlite: prepared(
    (
      _db,
      at: Params<{ id: number; owner: string; words: string }>,
    ) => sql`insert or replace into ${sql.table(index)} (rowid, owner, words)
      values (${at('id')}, ${at('owner')}, ${at('words')})`,
  ),
});
const puts = { thread_search: putOn('thread_search'), message_search: putOn('message_search') };

/**
 * Full-text search over titles, messages and the names of what is attached to them. The only part of the product with
 * two forms: FTS5 on SQLite, tsvector on
 * PostgreSQL. Each word matches as a beginning, so that the results come while the last one is being typed.
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
    /** With the names of what is attached to it. */
    putMessage: (userId: number, messageId: number, text: string, filenames: string[] = []) =>
      put('message_search', userId, messageId, [...filenames, text].join('\n')),
    /** Many of which nothing is there yet, where a whole installation is filled in. */
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
     * Before very many are put: PostgreSQL makes the index of all words at once in a tenth of the time that it takes to add
     * them one by one. Returns what makes it, afterwards.
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
    /** Before the rows themselves are deleted; on PostgreSQL the entries go with them. */
    async forgetThread(userId: number, threadId: number) {
      if (isPostgres(db)) return;
      await sql`delete from message_search where rowid in
        (select id from messages where thread_id = ${threadId} and user_id = ${userId})`.execute(db);
      await sql`delete from thread_search where rowid = ${threadId}`.execute(db);
    },
    /** The same for a message. */
    async forgetMessage(messageId: number) {
      if (isPostgres(db)) return;
      await sql`delete from message_search where rowid = ${messageId}`.execute(db);
    },
    /** Tidies the SQLite index in small steps, for idle moments; inserting leaves that to us. */
    async merge() {
      if (isPostgres(db)) return;
      for (const index of ['message_search', 'thread_search'])
        await sql`insert into ${sql.table(index)} (${sql.ref(index)}, rank) values ('merge', 200)`.execute(db);
    },
  };
}

export type SearchRepository = ReturnType<typeof searchRepository>;

/**
 * What matches: `thread_id`, and `message_id` where it is a message and not the title. undefined where the query has no
 * word.
 */
export function hitsOf(db: Kysely<Database>, userId: number, query: string): RawBuilder<unknown> | undefined {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  const literals = literalsOf(query);
  return isPostgres(db) ? postgresHits(userId, words, literals) : sqliteHits(userId, words, literals);
}

/** Of a table of FTS5. */
export const wordsMatch = (words: readonly Word[]) =>
  `words : (${words.map(({ word, isWhole }) => (isWhole ? `"${word}"` : `"${word}" *`)).join(' AND ')})`;
export const matchOf = (userId: number, words: readonly Word[]) => `owner : u${userId} AND ${wordsMatch(words)}`;

const has = (column: RawBuilder<unknown>, literal: string) =>
  sql<boolean>`lower(${column}) like ${`%${literal.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

const inMessage = (literals: readonly string[]) =>
  literals.map(
    (literal) => sql`and (${has(sql`m.text`, literal)} or exists
      (select 1 from message_files f where f.message_id = m.id and ${has(sql`f.filename`, literal)}))`,
  );
const inTitle = (literals: readonly string[]) =>
  literals.map(
    (literal) =>
      sql`and exists (select 1 from threads t where t.id = found_title.id and ${has(sql`t.title`, literal)})`,
  );

function sqliteHits(userId: number, words: readonly Word[], literals: readonly string[]) {
  const match = matchOf(userId, words);
  return sql`select m.thread_id as thread_id, m.id as message_id
      from message_search join messages m on m.id = message_search.rowid
      where message_search match ${match} and m.user_id = ${userId} ${sql.join(inMessage(literals), sql` `)}
    union all select id, null from (select rowid as id from thread_search where thread_search match ${match}) as found_title
      where true ${sql.join(inTitle(literals), sql` `)}`;
}

/** Of a tsvector. */
export const asTsquery = (words: readonly Word[]) =>
  sql`to_tsquery('simple', ${words.map(({ word, isWhole }) => (isWhole ? word : `${word}:*`)).join(' & ')})`;

function postgresHits(userId: number, words: readonly Word[], literals: readonly string[]) {
  const query = asTsquery(words);
  return sql`select m.thread_id as thread_id, m.id as message_id
      from message_search s join messages m on m.id = s.id
      where s.words @@ ${query} and s.user_id = ${userId} ${sql.join(inMessage(literals), sql` `)}
    union all select id, null from thread_search as found_title
      where words @@ ${query} and user_id = ${userId} ${sql.join(inTitle(literals), sql` `)}`;
}
