import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { anyMatch, anyTsquery, asTsquery, matchOf, wordsMatch } from './hits-repository.ts';
import { inOrder, isListed, type SearchHit, type SearchOptions } from './result-page-repository.ts';
import type { Phrase, SearchQuery, TextQuery } from './tokenize.ts';

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

/** True if the newest threads can answer it: literals are checked in the texts, and few texts contain them. */
export const hasWordsAlone = ({ anywhere, title }: SearchQuery): boolean =>
  [anywhere.literals, anywhere.excludedLiterals, ...Object.values(title)].every(({ length }) => length === 0);

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
export const recentPage = (db: Kysely<Database>, userId: number, query: TextQuery, options: SearchOptions) =>
  among(db, userId, options, (count) => {
    const look = { query, options, count };
    return isPostgres(db) ? lookThrough(db, userId, look) : indexAndLookThrough(db, userId, look);
  });

/** As `recentPage`, with the threads that contain none of these phrases, in no message and not in the title. */
export const recentPageWithout = (
  db: Kysely<Database>,
  userId: number,
  excluded: readonly Phrase[],
  options: SearchOptions,
) =>
  among(db, userId, options, (count) => {
    const look = { excluded, options, count };
    return isPostgres(db) ? lookWithout(db, userId, look) : indexAndLookWithout(db, userId, look);
  });

async function among(
  db: Kysely<Database>,
  userId: number,
  options: SearchOptions,
  look: (count: number) => Promise<SearchHit[]>,
): Promise<SearchHit[] | undefined> {
  const wanted = options.limit + 1;
  for (const times of [1.25, 4]) {
    const count = Math.ceil(times * wanted);
    const found = await look(count);
    if (found.length >= wanted || (await areAll(db, userId, { options, count }))) return found;
    // Searching four times as many threads would not be enough either.
    if (found.length < wanted / 4) break;
  }
  return undefined;
}

/** `count`: the number of newest threads to look through. */
type Newest = { options: SearchOptions; count: number };
type Look = Newest & { query: TextQuery };
type LookWithout = Newest & { excluded: readonly Phrase[] };

const page = (userId: number, options: SearchOptions) =>
  sql`${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`;

/** PostgreSQL stores the words of each message. An excluded word in the title leaves out the thread. */
async function lookThrough(
  db: Kysely<Database>,
  userId: number,
  { query, options, count }: Look,
): Promise<SearchHit[]> {
  const words = asTsquery(query);
  const withoutTitle =
    query.excludedPhrases.length === 0
      ? sql``
      : sql`where not exists (select 1 from thread_search x where x.id = newest.id and x.user_id = ${userId}
          and x.words @@ ${anyTsquery(query.excludedPhrases)})`;
  const { rows } = await sql<SearchHit>`
    with newest as materialized (${newest(userId, options, count)}),
    found as materialized (select newest.id as thread_id, max(s.id) as match_id
      from newest
      left join messages m on m.thread_id = newest.id and m.user_id = ${userId}
      left join message_search s on s.id = m.id and s.user_id = ${userId} and s.words @@ ${words}
      left join thread_search t on t.id = newest.id and t.user_id = ${userId} and t.words @@ ${words}
      ${withoutTitle}
      group by newest.id having max(s.id) is not null or max(t.id) is not null)
    select threads.id, found.match_id from found join threads on threads.id = found.thread_id
    where ${page(userId, options)}`.execute(db);
  return rows;
}

async function lookWithout(db: Kysely<Database>, userId: number, look: LookWithout): Promise<SearchHit[]> {
  const words = anyTsquery(look.excluded);
  const { rows } = await sql<SearchHit>`
    with newest as materialized (${newest(userId, look.options, look.count)}),
    excluded as materialized (select m.thread_id from newest
      join messages m on m.thread_id = newest.id and m.user_id = ${userId}
      join message_search s on s.id = m.id and s.user_id = ${userId} and s.words @@ ${words}
      union all
      select t.id from newest join thread_search t on t.id = newest.id and t.user_id = ${userId} and t.words @@ ${words})
    select threads.id, null as match_id from newest join threads on threads.id = newest.id
    where newest.id not in (select thread_id from excluded) and ${page(userId, look.options)}`.execute(db);
  return rows;
}

/**
 * SQLite indexes the messages in a temporary table, with the SQL function `search_words`: titles by the negative id of
 * their thread. On one connection, because the table must not be shared with another search.
 */
const withNewestIndexed = (
  db: Kysely<Database>,
  userId: number,
  { options, count }: Newest,
  found: RawBuilder<SearchHit>,
): Promise<SearchHit[]> =>
  db.connection().execute(async (own) => {
    await sql`create virtual table if not exists temp.newest_search using fts5(
      words, content='', tokenize='unicode61 remove_diacritics 2')`.execute(own);
    await sql`insert into temp.newest_search (newest_search) values ('delete-all')`.execute(own);
    await sql`with newest as materialized (${newest(userId, options, count)})
      insert into temp.newest_search (rowid, words)
      select -id, search_words(title) from newest
      union all
      select m.id, search_words(coalesce((select group_concat(filename, char(10)) from
          (select filename from message_files f where f.message_id = m.id and +f.user_id = ${userId} order by f.position))
          || char(10), '') || m.text)
        from newest cross join messages m where m.thread_id = newest.id and +m.user_id = ${userId}`.execute(own);
    return (await found.execute(own)).rows;
  });

const indexedMatches = (userId: number, match: string) =>
  sql`select coalesce(m.thread_id, -newest_search.rowid) as thread_id, m.id as message_id
    from temp.newest_search left join messages m on m.id = newest_search.rowid and +m.user_id = ${userId}
    where newest_search match ${match}`;

function indexAndLookThrough(db: Kysely<Database>, userId: number, look: Look): Promise<SearchHit[]> {
  const { query, options } = look;
  const withoutTitle =
    query.excludedPhrases.length === 0
      ? sql``
      : sql`threads.id not in (select -rowid from temp.newest_search
          where newest_search match ${anyMatch(query.excludedPhrases)} and rowid < 0) and`;
  return withNewestIndexed(
    db,
    userId,
    look,
    sql<SearchHit>`
      with found as materialized (select thread_id, max(message_id) as match_id
        from (${indexedMatches(userId, wordsMatch(query))}) as matches group by 1)
      select threads.id, found.match_id from found cross join threads
      where threads.id = found.thread_id and ${withoutTitle} ${page(userId, options)}`,
  );
}

const indexAndLookWithout = (db: Kysely<Database>, userId: number, look: LookWithout): Promise<SearchHit[]> =>
  withNewestIndexed(
    db,
    userId,
    look,
    sql<SearchHit>`
      with excluded as materialized (select thread_id from (${indexedMatches(userId, anyMatch(look.excluded))}) as matches)
      select threads.id, null as match_id
      from (select -rowid as id from temp.newest_search where rowid < 0) as indexed cross join threads
      where threads.id = indexed.id and threads.id not in (select thread_id from excluded)
        and ${page(userId, look.options)}`,
  );

/** The first `count` threads of the list, read through its partial indexes, with the messages up to each. */
function counted(userId: number, options: SearchOptions, count: number) {
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
      where ${isListed(userId, { ...options, ...part })} ${inOrder} limit ${count}) as part`,
  );
  // `next_position` counts the title as one message.
  return sql`select id, title, sum(next_position) over (${inOrder} rows unbounded preceding) as so_far
    from (select * from (${sql.join(listed, sql` union all `)}) as threads ${inOrder} limit ${count}) as threads`;
}

const newest = (userId: number, options: SearchOptions, count: number) =>
  sql`select id, title from (${counted(userId, options, count)}) as counted where so_far <= ${maxMessages}`;

/** True if no further threads are listed, because a filter leaves few. */
async function areAll(db: Kysely<Database>, userId: number, { options, count }: Newest): Promise<boolean> {
  const { rows } = await sql<{ threads: number; messages: number | null }>`
    select count(*) as threads, max(so_far) as messages
    from (${counted(userId, options, count)}) as counted`.execute(db);
  const { threads = 0, messages = null } = rows[0] ?? {};
  return Number(threads) < count && Number(messages) <= maxMessages;
}
