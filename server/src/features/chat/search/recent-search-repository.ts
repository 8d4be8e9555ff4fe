import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { asTsquery, matchOf, wordsMatch } from './hits-repository.ts';
import { type Found, inOrder, isListed, type SearchOptions } from './result-order.ts';
import type { SearchQuery, TextQuery } from './tokenize.ts';

/** Below this number of messages, searching all of them is faster. */
const largeFrom = 100_000;
/** Up to this number, hits are looked up one by one. */
const fewHits = 2_000;
/** Prefixes this short take FTS5 longer than this whole search. */
const shortWord = 2;
/** Messages searched in the newest threads; about 20 ms per thousand. */
const maxMessages = 2_500;

/** True if looking up all messages with a common word would take too long. */
export async function isLarge(db: Kysely<Database>): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirst();
  return (row?.newest ?? 0) > largeFrom;
}

/**
 * True if `recentPage` can answer it. Literals are checked in the texts, and few texts contain them; excluded words and
 * words of the title alone are looked up in all titles.
 */
export const hasWordsAlone = ({ anywhere, title }: SearchQuery): boolean =>
  anywhere.literals.length === 0 &&
  [anywhere.excludedPhrases, anywhere.excludedLiterals, ...Object.values(title)].every(({ length }) => length === 0);

/** Estimates from the longer words, which can be counted quickly. */
export async function hasManyHits(db: Kysely<Database>, userId: number, query: TextQuery): Promise<boolean> {
  const phrases = query.phrases.filter(({ words, isWhole }) => isWhole || (words.at(-1)?.length ?? 0) > shortWord);
  if (phrases.length === 0) return true;
  const long = { phrases, excludedPhrases: [] };
  const matching = isPostgres(db)
    ? sql`words @@ ${asTsquery(long)} and user_id = ${userId}`
    : sql`message_search match ${matchOf(userId, long)}`;
  const { rows } = await sql<{ hits: number }>`select count(*) as hits from
    (select 1 from message_search where ${matching} limit ${fewHits + 1}) as counted`.execute(db);
  return (rows[0]?.hits ?? 0) > fewHits;
}

/**
 * A page of results from the newest threads alone, for words that many messages contain: the cost does not grow with
 * older threads. undefined: too few matches, so all threads have to be searched.
 */
export async function recentPage(
  db: Kysely<Database>,
  userId: number,
  query: TextQuery,
  options: SearchOptions,
): Promise<Found[] | undefined> {
  const wanted = options.limit + 1;
  for (const times of [1.25, 4]) {
    const look = { query, options, among: Math.ceil(times * wanted) };
    const found = isPostgres(db)
      ? await lookThrough(db, userId, look)
      : // On one connection, because the temporary table must not be shared with another search.
        await db.connection().execute((own) => indexAndLookThrough(own, userId, look));
    if (found.length >= wanted) return found;
    // Searching four times as many threads would not be enough either.
    if (found.length < wanted / 4) break;
  }
  return undefined;
}

type Look = { query: TextQuery; options: SearchOptions; among: number };

/** PostgreSQL stores the words of each message. */
async function lookThrough(db: Kysely<Database>, userId: number, { query, options, among }: Look): Promise<Found[]> {
  const words = asTsquery(query);
  const { rows } = await sql<Found>`
    with newest as materialized (${newest(userId, options, among)}),
    found as materialized (select newest.id as thread_id, max(s.id) as match_id
      from newest
      left join messages m on m.thread_id = newest.id and m.user_id = ${userId}
      left join message_search s on s.id = m.id and s.user_id = ${userId} and s.words @@ ${words}
      left join thread_search t on t.id = newest.id and t.user_id = ${userId} and t.words @@ ${words}
      group by newest.id having max(s.id) is not null or max(t.id) is not null)
    select threads.id, found.match_id from found join threads on threads.id = found.thread_id
    where ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(db);
  return rows;
}

/** SQLite indexes the messages in a temporary table, with the SQL function `search_words`. */
async function indexAndLookThrough(
  db: Kysely<Database>,
  userId: number,
  { query, options, among }: Look,
): Promise<Found[]> {
  await sql`create virtual table if not exists temp.newest_search using fts5(
    words, content='', tokenize='unicode61 remove_diacritics 2')`.execute(db);
  await sql`insert into temp.newest_search (newest_search) values ('delete-all')`.execute(db);
  await sql`with newest as materialized (${newest(userId, options, among)})
    insert into temp.newest_search (rowid, words)
    select -id, search_words(title) from newest
    union all
    select m.id, search_words(coalesce((select group_concat(filename, char(10)) from
        (select filename from message_files f where f.message_id = m.id and +f.user_id = ${userId} order by f.position))
        || char(10), '') || m.text)
      from newest cross join messages m where m.thread_id = newest.id and +m.user_id = ${userId}`.execute(db);
  const { rows } = await sql<Found>`
    with found as materialized
      (select coalesce(m.thread_id, -newest_search.rowid) as thread_id, max(m.id) as match_id
        from temp.newest_search left join messages m on m.id = newest_search.rowid and +m.user_id = ${userId}
        where newest_search match ${wordsMatch(query)} group by 1)
    select threads.id, found.match_id from found cross join threads
    where threads.id = found.thread_id and ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(
    db,
  );
  return rows;
}

/** The first `among` threads of the list, read through its partial indexes. */
function newest(userId: number, options: SearchOptions, among: number) {
  const { archived, programs } = options;
  const parts = [
    { archived: false, programs: false },
    { archived: false, programs: true },
    { archived: true, programs },
  ].filter(
    (part) =>
      (archived === undefined || part.archived === archived) && (programs === undefined || part.programs === programs),
  );
  const listed = parts.map(
    (part) => sql`select * from (select id, title, pinned, updated_at, next_position from threads
      where ${isListed(userId, { ...options, ...part })} ${inOrder} limit ${among}) as part`,
  );
  // `next_position` counts the title as one message.
  return sql`select id, title from
    (select id, title, sum(next_position) over (${inOrder} rows unbounded preceding) as so_far
      from (select * from (${sql.join(listed, sql` union all `)}) as threads ${inOrder} limit ${among}) as threads) as counted
    where so_far <= ${maxMessages}`;
}
