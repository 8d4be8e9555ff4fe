import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

export function recoveryCodeRepository(db: Kysely<Database>) {
  return {
    /** Replaces the whole set. */
    async replace(userId: number, rows: readonly { selector: string; hash: string }[]) {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      const created = new Date().toISOString();
      await db
        .insertInto('recovery_codes')
        .values(rows.map((row) => ({ user_id: userId, ...row, created_at: created })))
        .execute();
    },
    async removeAll(userId: number) {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
    },
    /** The hash of an unused code. */
    async unused(userId: number, selector: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('recovery_codes')
        .select('hash')
        .where('user_id', '=', userId)
        .where('selector', '=', selector)
        .where('used_at', 'is', null)
        .executeTakeFirst();
      return row?.hash;
    },
    /** Uses a code up. false: a concurrent request was faster, or the set was replaced. */
    async use(userId: number, selector: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('recovery_codes')
        .set({ used_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('selector', '=', selector)
        .where('used_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async countUnused(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('recovery_codes')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
