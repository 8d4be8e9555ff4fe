import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Notices that the owner of an account must read. */
export function noticeRepository(db: Kysely<Database>) {
  return {
    /** `doneBy`: an administrator's name; null: the operator. */
    async add(userId: number, kind: Database['account_notices']['kind'], doneBy: string | null) {
      const at = new Date().toISOString();
      await db
        .insertInto('account_notices')
        .values({ user_id: userId, kind, done_by: doneBy, created_at: at, dismissed_at: null })
        .execute();
    },
    /** Undismissed notices, oldest first. */
    open: (userId: number) =>
      db
        .selectFrom('account_notices')
        .select(['id', 'kind', 'done_by as doneBy', 'created_at as at'])
        .where('user_id', '=', userId)
        .where('dismissed_at', 'is', null)
        .orderBy('id')
        .limit(20)
        .execute(),
    /** Returns false if there is no such notice. */
    async dismiss(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('account_notices')
        .set({ dismissed_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('dismissed_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
