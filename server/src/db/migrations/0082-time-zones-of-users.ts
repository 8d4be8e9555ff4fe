import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Where each user is, for the variables in instructions. */
export async function up(db: Kysely<Database>) {
  for (const column of ['time_zone', 'language'])
    await db.schema.alterTable('users').addColumn(column, 'text').execute();
}
