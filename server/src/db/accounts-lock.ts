import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Taken first by every transaction that decides by which accounts there are: registering, closing, changing a role or a
 * status. Until it ends the others wait, so that two first accounts do not both find the installation empty, and two
 * last administrators do not both leave. On SQLite there is one writer anyway.
 */
export async function holdAccounts(trx: Kysely<Database>) {
  await trx
    .insertInto('settings')
    .values({ name: 'registration_lock', value: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
    .execute();
}
