import { type RawBuilder, sql } from 'kysely';
import {
  flag,
  type ListedThreads,
  madeByPrograms,
  type ThreadPosition,
} from '#server/features/chat/threads/repository';

export type SearchOptions = {
  [Name in keyof ListedThreads]: boolean | undefined;
} & { limit: number; after: ThreadPosition | undefined };

/** `match_id`: the newest message that matches; null where only the title does. */
export type Found = { id: number; match_id: number | null };

/** The order of the list: pinned ones before the rest, the newest first. */
export const inOrder = sql`order by threads.pinned desc, threads.updated_at desc, threads.id desc`;

/** Which threads a search may show on this page. */
export function isListed(userId: number, { archived, programs, after }: SearchOptions): RawBuilder<boolean> {
  const conditions = [sql`threads.user_id = ${userId}`, sql`threads.purpose = 'chat'`];
  // Written out, as the indexes say it.
  if (archived !== undefined) conditions.push(sql`threads.archived = ${sql.lit(flag(archived))}`);
  if (programs !== undefined) conditions.push(madeByPrograms(programs));
  if (after)
    conditions.push(
      sql`(threads.pinned, threads.updated_at, threads.id) < (${flag(after.pinned)}, ${after.updatedAt}, ${after.id})`,
    );
  return sql`${sql.join(conditions, sql` and `)}`;
}
