import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../db/connect.ts';
import { type Places, prepared } from '../../db/prepared.ts';
import type { Database } from '../../db/schema.ts';

/** A search looks at so many words at most, and an index entry holds so many characters at most. */
const wordsAtMost = 12;
const indexedCharacters = 200_000;

const wordsOf = (query: string) => (query.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, wordsAtMost);

/**
 * PostgreSQL's parser keeps paths, addresses and accents as they are, where SQLite's finds the words in them. Given only
 * words without accents, both find the same.
 */
const inPlainWords = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ');

type Index = 'thread_search' | 'message_search';

const putOn = (index: Index) => ({
  postgres: prepared(
    (
      _db,
      at: Places<{ id: number; userId: number; words: string }>,
    ) => sql`insert into ${sql.table(index)} (id, user_id, words)
      values (${at('id')}, ${at('userId')}, to_tsvector('simple', ${at('words')}))
      on conflict (id) do update set words = excluded.words`,
  ),
  sqlite: prepared(
    (
      _db,
      at: Places<{ id: number; owner: string; words: string }>,
    ) => sql`insert or replace into ${sql.table(index)} (rowid, owner, words)
      values (${at('id')}, ${at('owner')}, ${at('words')})`,
  ),
});
const puts = { thread_search: putOn('thread_search'), message_search: putOn('message_search') };

/**
 * Full-text search over titles and messages. The only part of the product with two forms: FTS5 on SQLite, tsvector on
 * PostgreSQL. Each word matches as a beginning, so that the results come while the last one is being typed.
 */
export function searchRepository(db: Kysely<Database>, engine: Engine) {
  const isPostgres = engine === 'postgres';

  async function put(index: Index, userId: number, id: number, text: string) {
    const words = text.slice(0, indexedCharacters);
    const put = puts[index];
    if (isPostgres) await put.postgres.changed(db, { id, userId, words: inPlainWords(words) });
    else await put.sqlite.changed(db, { id, owner: `u${userId}`, words });
  }

  return {
    putTitle: (userId: number, threadId: number, title: string) => put('thread_search', userId, threadId, title),
    putMessage: (userId: number, messageId: number, text: string) => put('message_search', userId, messageId, text),
    /** Before the rows themselves are deleted; on PostgreSQL the entries go with them. */
    async forgetThread(userId: number, threadId: number) {
      if (isPostgres) return;
      await sql`delete from message_search where rowid in
        (select id from messages where thread_id = ${threadId} and user_id = ${userId})`.execute(db);
      await sql`delete from thread_search where rowid = ${threadId}`.execute(db);
    },
    /** Tidies the SQLite index in small steps, for idle moments; inserting leaves that to us. */
    async merge() {
      if (isPostgres) return;
      for (const index of ['message_search', 'thread_search'])
        await sql`insert into ${sql.table(index)} (${sql.ref(index)}, rank) values ('merge', 200)`.execute(db);
    },
  };
}

export type SearchRepository = ReturnType<typeof searchRepository>;

/**
 * Two parts of a query: `hits (thread_id, message_id)`, the newest matching message of each thread, and
 * `titles (thread_id)`. undefined where the query has no word.
 */
export function searchSources(engine: Engine, userId: number, query: string) {
  const words = wordsOf(engine === 'postgres' ? inPlainWords(query) : query);
  if (words.length === 0) return undefined;
  return engine === 'postgres' ? postgresSources(userId, words) : sqliteSources(userId, words);
}

type Sources = { hits: RawBuilder<unknown>; titles: RawBuilder<unknown> };

function sqliteSources(userId: number, words: string[]): Sources {
  const match = `owner : u${userId} AND words : (${words.map((word) => `"${word}" *`).join(' AND ')})`;
  return {
    hits: sql`select m.thread_id as thread_id, max(m.id) as message_id
      from message_search join messages m on m.id = message_search.rowid
      where message_search match ${match} and m.user_id = ${userId} group by m.thread_id`,
    titles: sql`select rowid as thread_id from thread_search where thread_search match ${match}`,
  };
}

function postgresSources(userId: number, words: string[]): Sources {
  const match = words.map((word) => `${word}:*`).join(' & ');
  return {
    hits: sql`select m.thread_id as thread_id, max(m.id) as message_id
      from message_search s join messages m on m.id = s.id
      where s.words @@ to_tsquery('simple', ${match}) and s.user_id = ${userId} group by m.thread_id`,
    titles: sql`select id as thread_id from thread_search
      where words @@ to_tsquery('simple', ${match}) and user_id = ${userId}`,
  };
}

/** Where the first of the query's words stands; 0 where it is written otherwise than in the query. */
function placeOf(query: string, text: string): number {
  const [firstWord = ''] = wordsOf(query);
  return Math.max(0, text.toLowerCase().indexOf(firstWord.toLowerCase()));
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const withoutMarkdown = (text: string) =>
  text
    .replace(/^ *(#{1,6}|>|[-*+]) +/gm, '')
    .replace(/\*{1,3}(?=\S)([^*\n]*[^*\s])\*{1,3}/g, '$1')
    .replace(/`+/g, '');

/** A piece of `text` around the first word of the query that it holds, as one line without the marks of Markdown. */
export function snippetOf(text: string, query: string, length = 140): string {
  const around = Math.max(0, placeOf(query, text) - length);
  const until = around + 3 * length;
  const plain = inOneLine(withoutMarkdown(text.slice(around, until)));
  const at = placeOf(query, plain);
  const about = Math.max(0, at - Math.floor(length / 3));
  // From the beginning of a word, where one begins before the word that was looked for.
  const from = about === 0 ? 0 : about + plain.slice(about, at).indexOf(' ') + 1;
  const before = around > 0 || from > 0 ? '… ' : '';
  const after = until < text.length || from + length < plain.length ? ' …' : '';
  return `${before}${plain.slice(from, from + length).trim()}${after}`;
}
