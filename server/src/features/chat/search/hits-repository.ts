import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { literalsOf, type Word, wordsOf } from './tokenize.ts';

/**
 * A subquery for the hits: `thread_id`, and `message_id` unless the title matches. undefined: the query has no words.
 */
export function hitsOf(db: Kysely<Database>, userId: number, query: string): RawBuilder<unknown> | undefined {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  const literals = literalsOf(query);
  return isPostgres(db) ? postgresHits(userId, words, literals) : sqliteHits(userId, words, literals);
}

/** A match expression of FTS5. */
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
