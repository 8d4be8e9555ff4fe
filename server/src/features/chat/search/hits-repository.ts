import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { asOneTitle, besideMessage, type Phrase, type SearchQuery, type TextQuery } from './tokenize.ts';

type Conditions = Pick<TextQuery, 'phrases' | 'excludedPhrases'>;

const ftsPhrase = ({ words, isWhole }: Phrase) => `"${words.join(' ')}"${isWhole ? '' : ' *'}`;
const ftsWords = (phrases: readonly Phrase[], operator: 'AND' | 'OR') =>
  `words : (${phrases.map(ftsPhrase).join(` ${operator} `)})`;

/** A match expression of FTS5. */
export const wordsMatch = ({ phrases, excludedPhrases }: Conditions) => {
  const wanted = ftsWords(phrases, 'AND');
  return excludedPhrases.length === 0 ? wanted : `(${wanted}) NOT ${ftsWords(excludedPhrases, 'OR')}`;
};
/** A match expression of FTS5 for any of them. */
export const anyMatch = (phrases: readonly Phrase[]) => ftsWords(phrases, 'OR');
export const matchOf = (userId: number, conditions: Conditions) => `owner : u${userId} AND (${wordsMatch(conditions)})`;

const tsPhrase = ({ words, isWhole }: Phrase) =>
  `(${words.map((word, at) => (isWhole || at < words.length - 1 ? word : `${word}:*`)).join(' <-> ')})`;

export const asTsquery = ({ phrases, excludedPhrases }: Conditions) =>
  sql`to_tsquery('simple', ${[...phrases.map(tsPhrase), ...excludedPhrases.map((phrase) => `!${tsPhrase(phrase)}`)].join(' & ')})`;

export const anyTsquery = (phrases: readonly Phrase[]) =>
  sql`to_tsquery('simple', ${phrases.map(tsPhrase).join(' | ')})`;

const has = (column: RawBuilder<unknown>, literal: string) =>
  sql<boolean>`lower(${column}) like ${`%${literal.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

type Literals = Pick<TextQuery, 'literals' | 'excludedLiterals'>;

/** Conditions `and …` on a text, of which `contains` says that a literal is in it. */
const withLiterals = (
  { literals, excludedLiterals }: Literals,
  contains: (literal: string) => RawBuilder<boolean>,
): RawBuilder<unknown> =>
  sql.join(
    [
      ...literals.map((one) => sql`and ${contains(one)}`),
      ...excludedLiterals.map((one) => sql`and not ${contains(one)}`),
    ],
    sql` `,
  );

const inMessage = (literal: string) =>
  sql<boolean>`(${has(sql`m.text`, literal)} or exists
    (select 1 from message_files f where f.message_id = m.id and ${has(sql`f.filename`, literal)}))`;
const inTitleOf = (threadId: RawBuilder<unknown>) => (literal: string) =>
  sql<boolean>`exists (select 1 from threads t where t.id = ${threadId} and ${has(sql`t.title`, literal)})`;

/** The full-text search of one engine. */
type Index = {
  titles: (conditions: Conditions) => RawBuilder<unknown>;
  messages: (conditions: Conditions) => RawBuilder<unknown>;
};

const sqliteIndex = (userId: number): Index => ({
  titles: (conditions) =>
    sql`select rowid as id from thread_search where thread_search match ${matchOf(userId, conditions)}`,
  messages: (conditions) => sql`message_search join messages m on m.id = message_search.rowid
    where message_search match ${matchOf(userId, conditions)} and m.user_id = ${userId}`,
});
const postgresIndex = (userId: number): Index => ({
  titles: (conditions) =>
    sql`select id from thread_search where words @@ ${asTsquery(conditions)} and user_id = ${userId}`,
  messages: (conditions) => sql`message_search s join messages m on m.id = s.id
    where s.words @@ ${asTsquery(conditions)} and s.user_id = ${userId}`,
});

/** Conditions `and …` on the title of a message's thread. */
function titleBeside(index: Index, { phrases, excludedPhrases, ...literals }: TextQuery): RawBuilder<unknown> {
  const conditions = [withLiterals(literals, inTitleOf(sql`m.thread_id`))];
  if (phrases.length > 0) conditions.push(sql`and m.thread_id in (${index.titles({ phrases, excludedPhrases: [] })})`);
  for (const phrase of excludedPhrases)
    conditions.push(sql`and m.thread_id not in (${index.titles({ phrases: [phrase], excludedPhrases: [] })})`);
  return sql.join(conditions, sql` `);
}

/**
 * A subquery for the hits: `thread_id`, and `message_id` unless the title matches. An excluded word leaves out the
 * messages that contain it, and all threads with it in the title.
 */
export function hitsOf(db: Kysely<Database>, userId: number, query: SearchQuery): RawBuilder<unknown> {
  const index = isPostgres(db) ? postgresIndex(userId) : sqliteIndex(userId);
  const title = asOneTitle(query);
  const titles = sql`select id as thread_id, null as message_id from (${index.titles(title)}) as found_title
    where true ${withLiterals(title, inTitleOf(sql`found_title.id`))}`;
  if (query.anywhere.phrases.length === 0) return titles;
  return sql`select m.thread_id as thread_id, m.id as message_id from ${index.messages(query.anywhere)}
      ${withLiterals(query.anywhere, inMessage)} ${titleBeside(index, besideMessage(query))}
    union all ${titles}`;
}
