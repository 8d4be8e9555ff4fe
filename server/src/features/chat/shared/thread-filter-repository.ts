import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Conditions on a thread; those left out are not checked. */
export type ThreadFilters = {
  /** The thread's assistant, or one that has answered in it. */
  assistantId?: number | undefined;
  /** The thread's model, or one that has answered in it. */
  model?: string | undefined;
  /** It has a message written from this moment on, and before that one. */
  from?: string | undefined;
  to?: string | undefined;
  /** It has attached or generated files, or none. */
  files?: boolean | undefined;
  /** An answer in it is rated so. */
  rating?: 'good' | 'bad' | undefined;
  projectId?: number | undefined;
};

export const hasFilters = (filters: ThreadFilters): boolean =>
  Object.values(filters).some((value) => value !== undefined);

/** The plus makes SQLite look up the rows of one thread, not all of the user. */
const ofThread = (userId: number, table: 'm' | 'r') =>
  sql`${sql.ref(`${table}.thread_id`)} = threads.id and +${sql.ref(`${table}.user_id`)} = ${userId}`;

const wroteBetween = (userId: number, from: string | undefined, to: string | undefined) => {
  const times = [
    ...(from === undefined ? [] : [sql`m.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`m.created_at < ${to}`]),
  ];
  return sql<boolean>`exists (select 1 from messages m where ${ofThread(userId, 'm')} and ${sql.join(times, sql` and `)})`;
};

/**
 * Conditions on `threads` for the filters that are set. Few messages have files or ratings, so all threads of these are
 * looked up; the others are looked up by the thread's id.
 */
export function fulfilling(userId: number, filters: ThreadFilters): RawBuilder<boolean>[] {
  const { assistantId, model, from, to, files, rating, projectId } = filters;
  const conditions: RawBuilder<boolean>[] = [];
  if (projectId !== undefined) conditions.push(sql`threads.project_id = ${projectId}`);
  if (assistantId !== undefined)
    conditions.push(sql`(threads.assistant_id = ${assistantId} or exists
      (select 1 from runs r where ${ofThread(userId, 'r')} and r.assistant_id = ${assistantId}))`);
  if (model !== undefined)
    conditions.push(sql`(threads.model = ${model} or exists
      (select 1 from runs r where ${ofThread(userId, 'r')} and r.model = ${model}))`);
  // Most threads are ruled out by their own times.
  if (from !== undefined) conditions.push(sql`threads.updated_at >= ${from}`);
  if (to !== undefined) conditions.push(sql`threads.created_at < ${to}`);
  if (from !== undefined || to !== undefined) conditions.push(wroteBetween(userId, from, to));
  if (files !== undefined)
    conditions.push(sql`threads.id ${files ? sql`` : sql`not`} in (select m.thread_id from message_files f
      join messages m on m.id = f.message_id and +m.user_id = ${userId} where f.user_id = ${userId})`);
  if (rating !== undefined)
    conditions.push(sql`threads.id in (select m.thread_id from message_ratings g
      join messages m on m.id = g.message_id and +m.user_id = ${userId}
      where g.user_id = ${userId} and g.value = ${rating})`);
  return conditions;
}

/** The threads among `ids` that fulfill the filters. */
export async function idsFulfilling(
  db: Kysely<Database>,
  userId: number,
  ids: number[],
  filters: ThreadFilters,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('threads')
    .select('id')
    .where(sql<boolean>`+threads.user_id = ${userId}`)
    .where('id', 'in', ids)
    .where(sql<boolean>`${sql.join(fulfilling(userId, filters), sql` and `)}`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
