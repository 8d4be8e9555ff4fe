import { type RawBuilder, sql } from 'kysely';
import { fulfilling, type ThreadFilters } from '#server/features/chat/shared/thread-filter-repository';
import {
  createdByClients,
  flag,
  type ListedThreads,
  type ThreadPosition,
} from '#server/features/chat/shared/thread-repository';

export type SearchOptions = {
  [Name in keyof ListedThreads]: boolean | undefined;
} & { limit: number; after: ThreadPosition | undefined; filters?: ThreadFilters };

/** `match_id`: the newest matching message; null: only the title matches. */
export type SearchHit = { id: number; match_id: number | null };

export const inOrder = sql`order by threads.pinned desc, threads.updated_at desc, threads.id desc`;

/** The condition for threads on this page. */
export function isListed(
  userId: number,
  { archived, programs, after, filters = {} }: SearchOptions,
): RawBuilder<boolean> {
  const conditions = [sql`threads.user_id = ${userId}`, sql`threads.purpose = 'chat'`];
  // Literals, as in the definition of the indexes.
  if (archived !== undefined) conditions.push(sql`threads.archived = ${sql.lit(flag(archived))}`);
  if (programs !== undefined) conditions.push(createdByClients(programs));
  if (after)
    conditions.push(
      sql`(threads.pinned, threads.updated_at, threads.id) < (${flag(after.pinned)}, ${after.updatedAt}, ${after.id})`,
    );
  conditions.push(...fulfilling(userId, filters));
  return sql`${sql.join(conditions, sql` and `)}`;
}
