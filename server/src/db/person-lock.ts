import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Taken first by a transaction that decides by what a person has: until it ends nobody else changes that, and the account
 * is not closed. The update changes nothing; it takes the lock on both engines. false: there is no such person any more.
 */
export async function holdPerson(trx: Kysely<Database>, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set((eb) => ({ status: eb.ref('status') }))
    .where('id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
