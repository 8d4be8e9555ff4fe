import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

type StoredAdminKey = {
  sealed: string;
  wrappedDataKey: string;
  last4: string;
  addedAt: string;
  notice: string | null;
};

export function adminKeyRepository(db: Kysely<Database>) {
  return {
    async find(userId: number): Promise<StoredAdminKey | undefined> {
      const row = await db
        .selectFrom('provider_admin_keys')
        .innerJoin('data_keys', 'data_keys.user_id', 'provider_admin_keys.user_id')
        .selectAll('provider_admin_keys')
        .select('data_keys.wrapped')
        .where('provider_admin_keys.user_id', '=', userId)
        .executeTakeFirst();
      return (
        row && {
          sealed: row.sealed,
          wrappedDataKey: row.wrapped,
          last4: row.last4,
          addedAt: row.added_at,
          notice: row.notice,
        }
      );
    },
    async save(userId: number, { sealed, last4, addedAt, notice }: Omit<StoredAdminKey, 'wrappedDataKey'>) {
      const values = { sealed, last4, added_at: addedAt, notice };
      await db
        .insertInto('provider_admin_keys')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
    },
    /**
     * Stores the result of using the key. `sealed` identifies the key that was used, which may have been replaced
     * since.
     */
    async note(userId: number, sealed: string, notice: string | null) {
      await db
        .updateTable('provider_admin_keys')
        .set({ notice })
        .where('user_id', '=', userId)
        .where('sealed', '=', sealed)
        .execute();
    },
    async delete(userId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('provider_admin_keys')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
