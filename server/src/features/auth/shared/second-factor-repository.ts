import type { SecondFactorMethod } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** The second factors of an account, of both kinds. */
export function secondFactorRepository(db: Kysely<Database>) {
  return {
    /** How the account can take a second step; empty: it has no second factor. */
    async waysOf(userId: number): Promise<SecondFactorMethod[]> {
      const factors = await db
        .selectFrom('second_factors')
        .select('kind')
        .distinct()
        .where('user_id', '=', userId)
        .orderBy('kind', 'desc')
        .execute();
      if (factors.length === 0) return [];
      const code = await db
        .selectFrom('recovery_codes')
        .select('selector')
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return [...factors.map(({ kind }) => kind), ...(code ? (['recovery'] as const) : [])];
    },
    /** True if a passkey opens the account without a password. */
    async hasPasskey(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('second_factors')
        .select('id')
        .where('user_id', '=', userId)
        .where('kind', '=', 'passkey')
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
