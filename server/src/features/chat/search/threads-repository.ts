import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { isOf } from '#server/features/chat/shared/message-row-repository';
import { type ThreadRecord, threadRepository } from '#server/features/chat/shared/thread-repository';
import { hitsOf } from './hits-repository.ts';
import { hasManyHits, hasWordsAlone, isLarge, recentPage, recentPageWithout } from './recent-search-repository.ts';
import { inOrder, isListed, type SearchHit, type SearchOptions } from './result-page-repository.ts';
import { excludedQueries, hasWords, type SearchQuery, searchQueryOf } from './tokenize.ts';

/** The threads in which none of the queries finds anything. */
function threadsWithout(
  db: Kysely<Database>,
  userId: number,
  excluded: readonly SearchQuery[],
  options: SearchOptions,
): RawBuilder<{ id: number }> {
  const hits = sql.join(
    excluded.map((query) => sql`select thread_id from (${hitsOf(db, userId, query)}) as hits`),
    sql` union all `,
  );
  return sql<{ id: number }>`
    with excluded as materialized (${hits})
    select threads.id from threads
    where ${isListed(userId, options)} and threads.id not in (select thread_id from excluded)
    ${inOrder} limit ${options.limit + 1}`;
}

/** `match`: the newest matching message; null: only the title matches. */
export type FoundThread = { thread: ThreadRecord; match: { messageId: number; text: string } | null };

/** Finds threads by title or message, with the newest matching message. */
export async function findThreads(
  db: Kysely<Database>,
  userId: number,
  query: string,
  options: SearchOptions,
): Promise<FoundThread[]> {
  const parsed = searchQueryOf(query);
  if (!hasWords(parsed)) return findWithout(db, userId, query, options);
  const { anywhere } = parsed;
  const isCommon = hasWordsAlone(parsed) && (await isLarge(db)) && (await hasManyHits(db, userId, anywhere));
  const found =
    (isCommon && (await recentPage(db, userId, anywhere, options))) ||
    (await page(db, userId, hitsOf(db, userId, parsed), options));
  const threads = await threadRepository(db).byIds(
    userId,
    found.map(({ id }) => id),
  );
  const texts = await textsOf(db, userId, found);
  return found.flatMap(({ id, match_id }) => {
    const thread = threads.get(id);
    if (!thread) return [];
    return { thread, match: match_id === null ? null : { messageId: match_id, text: texts.get(match_id) ?? '' } };
  });
}

/** For a query of exclusions alone: the threads that contain none of them, in no message and not in the title. */
async function findWithout(db: Kysely<Database>, userId: number, query: string, options: SearchOptions) {
  const excluded = excludedQueries(query);
  if (excluded.length === 0) return [];
  const rows =
    (await recentWithout(db, userId, excluded, options)) ??
    (await threadsWithout(db, userId, excluded, options).execute(db)).rows;
  const threads = await threadRepository(db).byIds(
    userId,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id }) => {
    const thread = threads.get(id);
    return thread ? { thread, match: null } : [];
  });
}

async function recentWithout(
  db: Kysely<Database>,
  userId: number,
  excluded: readonly SearchQuery[],
  options: SearchOptions,
) {
  if (!excluded.every(hasWordsAlone) || !(await isLarge(db))) return undefined;
  const phrases = excluded.flatMap(({ anywhere }) => anywhere.phrases);
  return recentPageWithout(db, userId, phrases, options);
}

/** `cross join` makes SQLite go from hits to threads and not the other way round. */
async function page(db: Kysely<Database>, userId: number, hits: RawBuilder<unknown>, options: SearchOptions) {
  const { rows } = await sql<SearchHit>`
    with found as materialized
      (select thread_id, max(message_id) as match_id from (${hits}) as hits group by thread_id)
    select threads.id, found.match_id from found cross join threads
    where threads.id = found.thread_id and ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(
    db,
  );
  return rows;
}

/** Reads texts for one page only: sorting with the texts of all matches takes three times as long. */
async function textsOf(
  db: Kysely<Database>,
  userId: number,
  found: { match_id: number | null }[],
): Promise<Map<number, string>> {
  const ids = found.flatMap(({ match_id }) => match_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'text'])
    .where(isOf(userId))
    .where('id', 'in', ids)
    .execute();
  const files = await messageFileRepository(db).of(userId, ids);
  const names = (id: number) => files.get(id)?.map(({ filename }) => filename) ?? [];
  return new Map(rows.map(({ id, text }) => [id, [text, ...names(id)].join('\n')]));
}
