import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import { isOf } from '#server/features/chat/messages/row-repository';
import { type ThreadRecord, threadRepository } from '#server/features/chat/threads/repository';
import { type Found, inOrder, isListed, type SearchOptions } from './listed.ts';
import { hasManyHits, isLarge, pageAmongNewest } from './newest-repository.ts';
import { hitsOf } from './repository.ts';
import { literalsOf } from './words.ts';

/** `match`: the newest message that has the words; null where only the title has them. */
export type FoundThread = { thread: ThreadRecord; match: { messageId: number; text: string } | null };

/** Threads whose title or messages match, with the newest message that does. */
export async function findThreads(
  db: Kysely<Database>,
  userId: number,
  query: string,
  options: SearchOptions,
): Promise<FoundThread[]> {
  const hits = hitsOf(db, userId, query);
  if (!hits) return [];
  // What has to stand there as it is written is looked up in the texts themselves, which are fewer.
  const isCommon = literalsOf(query).length === 0 && (await isLarge(db)) && (await hasManyHits(db, userId, query));
  const found =
    (isCommon && (await pageAmongNewest(db, userId, query, options))) || (await page(db, userId, hits, options));
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

/** From the hits to their threads, which SQLite would do the other way round: `cross join` keeps it to the order written. */
async function page(db: Kysely<Database>, userId: number, hits: RawBuilder<unknown>, options: SearchOptions) {
  const { rows } = await sql<Found>`
    with found as materialized
      (select thread_id, max(message_id) as match_id from (${hits}) as hits group by thread_id)
    select threads.id, found.match_id from found cross join threads
    where threads.id = found.thread_id and ${isListed(userId, options)} ${inOrder} limit ${options.limit + 1}`.execute(
    db,
  );
  return rows;
}

/** Reads the text of one page's matches only, then the names of their attachments: sorting the text of all matches takes three times as long. */
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
