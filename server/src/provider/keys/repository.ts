import type { Kysely } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

type StoredKey = {
  sealed: string;
  wrappedDataKey: string;
  last4: string;
  addedAt: string;
  verified: boolean;
  notice: string | null;
};

const findKey = prepared((db, at: Params<{ userId: number }>) =>
  db
    .selectFrom('provider_keys')
    .innerJoin('data_keys', 'data_keys.user_id', 'provider_keys.user_id')
    .selectAll('provider_keys')
    .select('data_keys.wrapped')
    .where('provider_keys.user_id', '=', at('userId')),
);

export function keyRepository(db: Kysely<Database>) {
  return {
    async find(userId: number): Promise<StoredKey | undefined> {
      const row = await findKey.first(db, { userId });
      return (
        row && {
          sealed: row.sealed,
          wrappedDataKey: row.wrapped,
          last4: row.last4,
          addedAt: row.added_at,
          verified: row.verified === 1,
          notice: row.notice,
        }
      );
    },
    async save(userId: number, key: Omit<StoredKey, 'wrappedDataKey'>) {
      const values = {
        sealed: key.sealed,
        last4: key.last4,
        added_at: key.addedAt,
        verified: key.verified ? (1 as const) : (0 as const),
        notice: key.notice,
      };
      await db
        .insertInto('provider_keys')
        .values({ user_id: userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
    },
    /**
     * Stores the result of using the key. `sealed` identifies the key that was used, which may have been replaced
     * since.
     */
    async note(userId: number, sealed: string, verified: boolean, notice: string | null) {
      await db
        .updateTable('provider_keys')
        .set({ verified: verified ? 1 : 0, notice })
        .where('user_id', '=', userId)
        .where('sealed', '=', sealed)
        .execute();
    },
    async delete(userId: number): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('provider_keys').where('user_id', '=', userId).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type KeyRepository = ReturnType<typeof keyRepository>;
