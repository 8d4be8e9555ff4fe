import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { AppError } from '../errors.ts';

/**
 * At least one active administrator always remains. Whatever takes one away (a change of role or status, the end of an
 * account) takes the lock first, does its change, and then asks here, all in one transaction: two administrators that
 * demote each other at once come one after the other.
 */
export function administratorRepository(trx: Kysely<Database>) {
  return {
    /** Held until the transaction ends. First in it: on SQLite it makes this the one writer before anything is read. */
    async lock() {
      await trx
        .insertInto('settings')
        .values({ name: 'administrators_lock', value: '' })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
        .execute();
    },
    /** @throws last_administrator where the transaction has left none */
    async requireOne() {
      const left = await trx
        .selectFrom('users')
        .select('id')
        .where('role', '=', 'Admin')
        .where('status', '=', 'Active')
        .limit(1)
        .executeTakeFirst();
      if (!left)
        throw new AppError(
          'last_administrator',
          'This is the last active administrator. Make somebody else an administrator first.',
        );
    },
  };
}
