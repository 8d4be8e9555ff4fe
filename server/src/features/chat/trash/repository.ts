import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { flag } from '#server/features/chat/shared/thread-repository';

/** A page of the trash starts after this thread. */
type TrashPosition = { deletedAt: string; id: number };

/** A thread that is about to be permanently deleted. */
type DiscardedThread = { id: number; userId: number };

/** Conversations in the trash, and changes of several at once. */
export function trashRepository(db: Kysely<Database>) {
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);
  const inTrash = (userId: number) =>
    db
      .selectFrom('threads')
      .leftJoin('access_tokens', 'access_tokens.id', 'threads.access_token_id')
      .select(['threads.id', 'threads.title', 'threads.archived', 'access_tokens.name as madeBy'])
      .select(sql<string>`threads.deleted_at`.as('deletedAt'))
      .where('threads.user_id', '=', userId)
      .where('threads.purpose', '=', 'trash')
      .where('threads.deleted_at', 'is not', null);
  const own = (userId: number, ids: readonly number[]) =>
    db.updateTable('threads').where('user_id', '=', userId).where('id', 'in', ids);

  return {
    /** These change threads in one statement and return the ids of those that were changed. */
    async putIn(userId: number, ids: readonly number[], at: string): Promise<number[]> {
      const moved = own(userId, ids).where('purpose', '=', 'chat').set({ purpose: 'trash', deleted_at: at });
      return idsOf(await moved.returning('id').execute());
    },
    async restore(userId: number, ids: readonly number[]): Promise<number[]> {
      const restored = own(userId, ids).where('purpose', '=', 'trash').set({ purpose: 'chat', deleted_at: null });
      return idsOf(await restored.returning('id').execute());
    },
    async archive(userId: number, ids: readonly number[], archived: boolean): Promise<number[]> {
      const changed = own(userId, ids)
        .where('purpose', '=', 'chat')
        .set({ archived: flag(archived) });
      return idsOf(await changed.returning('id').execute());
    },

    /** Last deleted first. Reads one row more than `limit` to know whether there is another page. */
    async page(userId: number, limit: number, after: TrashPosition | undefined) {
      let query = inTrash(userId)
        .orderBy('threads.deleted_at', 'desc')
        .orderBy('threads.id', 'desc')
        .limit(limit + 1);
      if (after)
        query = query.where(sql<boolean>`(threads.deleted_at, threads.id) < (${after.deletedAt}, ${after.id})`);
      return (await query.execute()).map((row) => ({ ...row, archived: row.archived === 1 }));
    },
    async find(userId: number, id: number) {
      const row = await inTrash(userId).where('threads.id', '=', id).executeTakeFirst();
      return row && { ...row, archived: row.archived === 1 };
    },
    async count(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('threads')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('user_id', '=', userId)
        .where('purpose', '=', 'trash')
        .where('deleted_at', 'is not', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** From then on it cannot be restored. false: it is not in the trash. */
    async discard(userId: number, threadId: number): Promise<boolean> {
      const { numUpdatedRows } = await own(userId, [threadId])
        .where('purpose', '=', 'trash')
        .set({ purpose: 'discarded' })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Returns how many threads can no longer be restored. */
    async discardAll(userId: number): Promise<number> {
      const { numUpdatedRows } = await db
        .updateTable('threads')
        .set({ purpose: 'discarded' })
        .where('user_id', '=', userId)
        .where('purpose', '=', 'trash')
        .where('deleted_at', 'is not', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async discardOlder(before: string) {
      await db
        .updateTable('threads')
        .set({ purpose: 'discarded' })
        .where('purpose', '=', 'trash')
        .where('deleted_at', '<', before)
        .execute();
    },
    /** Reads the rows of one user, or of all. */
    async discarded(userId: number | undefined, limit: number): Promise<DiscardedThread[]> {
      const query = db
        .selectFrom('threads')
        .select(['id', 'user_id as userId'])
        .where('purpose', '=', 'discarded')
        .where('deleted_at', 'is not', null)
        .limit(limit);
      return (userId === undefined ? query : query.where('user_id', '=', userId)).execute();
    },
  };
}
