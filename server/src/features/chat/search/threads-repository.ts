import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import {
  flag,
  type ListedThreads,
  madeByPrograms,
  type ThreadPosition,
  type ThreadRecord,
  threadPage,
  toThreadRecord,
} from '#server/features/chat/threads/repository';
import { searchSources } from './repository.ts';

export type SearchOptions = {
  [Name in keyof ListedThreads]: boolean | undefined;
} & { limit: number; after: ThreadPosition | undefined };
/** `match`: the newest message that has the words; null where only the title has them. */
export type FoundThread = { thread: ThreadRecord; match: { messageId: number; text: string } | null };

/** Threads whose title or messages match, with the newest message that does. */
export async function findThreads(
  db: Kysely<Database>,
  userId: number,
  query: string,
  options: SearchOptions,
): Promise<FoundThread[]> {
  const sources = searchSources(db, userId, query);
  if (!sources) return [];
  let threads = threadPage(db, userId, options.limit, options.after)
    .leftJoin(sql<{ thread_id: number; message_id: number }>`(${sources.hits})`.as('hits'), (join) =>
      join.onRef('hits.thread_id', '=', 'threads.id'),
    )
    .select('hits.message_id as match_id')
    .where((eb) =>
      eb.or([
        eb('hits.message_id', 'is not', null),
        eb('threads.id', 'in', sql<number>`(select thread_id from (${sources.titles}) as titles)`),
      ]),
    );
  if (options.archived !== undefined) threads = threads.where('threads.archived', '=', flag(options.archived));
  if (options.programs !== undefined) threads = threads.where(madeByPrograms(options.programs));
  const rows = await threads.execute();
  const texts = await textsOf(db, userId, rows);
  return rows.map((row) => ({
    thread: toThreadRecord(row),
    match: row.match_id === null ? null : { messageId: row.match_id, text: texts.get(row.match_id) ?? '' },
  }));
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
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .execute();
  const files = await messageFileRepository(db).of(userId, ids);
  const names = (id: number) => files.get(id)?.map(({ filename }) => filename) ?? [];
  return new Map(rows.map(({ id, text }) => [id, [text, ...names(id)].join('\n')]));
}
