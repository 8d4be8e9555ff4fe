import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { type Found, inOrder, isListed, type SearchOptions } from './listed.ts';
import { asTsquery, matchOf, wordsMatch } from './repository.ts';
import { type Word, wordsOf } from './words.ts';

/** Below that even all messages are looked at in less time than this takes. */
const largeFrom = 100_000;
/** So few are looked up one by one. */
const fewHits = 2_000;
/** FTS5 puts together what begins with so few letters before it gives the first hit, which takes longer than all of this. */
const shortWord = 2;
/** What is looked through of the newest conversations, whole ones: 20 ms for each thousand. */
const messagesAtMost = 2_500;

/** Whether there are so many messages in the database that not all that have a common word can be looked up. */
export async function isLarge(db: Kysely<Database>): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirst();
  return (row?.newest ?? 0) > largeFrom;
}

/** Whether it seems so by the words that can be asked for quickly. */
export async function hasManyHits(db: Kysely<Database>, userId: number, query: string): Promise<boolean> {
  const long = wordsOf(query).filter(({ word }) => word.length > shortWord);
  if (long.length === 0) return true;
  const matching = isPostgres(db)
    ? sql`words @@ ${asTsquery(long)} and user_id = ${userId}`
    : sql`message_search match ${matchOf(userId, long)}`;
  const { rows } = await sql<{ hits: number }>`select count(*) as hits from
    (select 1 from message_search where ${matching} limit ${fewHits + 1}) as counted`.execute(db);
  return (rows[0]?.hits ?? 0) > fewHits;
}

/**
 * A page of the threads that match where it can be filled from the newest conversations of the list, for words that many
 * messages have, so that the cost is theirs and does not grow with the others. undefined: there are too few matches among
 * them, so all have to be asked.
 */
export async function pageAmongNewest(
  db: Kysely<Database>,
  userId: number,
  query: string,
  options: SearchOptions,
): Promise<Found[] | undefined> {
  const wanted = options.limit + 1;
  for (const times of [1.25, 4]) {
    const look = { words: wordsOf(query), options, among: Math.ceil(times * wanted) };
    const found = isPostgres(db)
      ? await lookThrough(db, userId, look)
      : // On a connection that is its own meanwhile, so that no other search comes in between.
        await db.connection().execute((own) => indexAndLookThrough(own, userId, look));
    if (found.length >= wanted) return found;
    // Four times as many would not be enough either.
    if (found.length < wanted / 4) break;
  }
  return undefined;
}

type Look = { words: readonly Word[]; options: SearchOptions; among: number };

/** PostgreSQL has the words of each message. */
async function lookThrough(db: Kysely<Database>, userId: number, { words, options, among }: Look): Promise<Found[]> {
  const query = asTsquery(words);
  const { rows } = await sql<Found>`
    with newest as materialized (${newest(userId, options, among)}),
    found as materialized (select newest.id as thread_id, max(s.id) as match_id
      from newest
      left join messages m on m.thread_id = newest.id and m.user_id = ${userId}
      left join message_search s on s.id = m.id and s.user_id = ${userId} and s.words @@ ${query}
      left join thread_search t on t.id = newest.id and t.user_id = ${userId} and t.words @@ ${query}
      group by newest.id having max(s.id) is not null or max(t.id) is not null)
    select threads.id, found.match_id from found join threads on threads.id = found.thread_id
    where ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(db);
  return rows;
}

/** SQLite has them in memory as all are on disk; with the SQL function `search_words`. */
async function indexAndLookThrough(
  db: Kysely<Database>,
  userId: number,
  { words, options, among }: Look,
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
        where newest_search match ${wordsMatch(words)} group by 1)
    select threads.id, found.match_id from found cross join threads
    where threads.id = found.thread_id and ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(
    db,
  );
  return rows;
}

/** The first `among` of the list, from its indexes, which are by archive and by who made them. */
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
  // Its title counts as one.
  return sql`select id, title from
    (select id, title, sum(next_position) over (${inOrder} rows unbounded preceding) as so_far
      from (select * from (${sql.join(listed, sql` union all `)}) as threads ${inOrder} limit ${among}) as threads) as counted
    where so_far <= ${messagesAtMost}`;
}
