import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * By how many keys something was refused, when the provider is asked about it again, and how often that has been put off. Rows from
 * before hold for all and are asked about an hour after they were learned.
 */
export async function up(db: Kysely<Database>) {
  for (const [column, type] of [
    ['askers', 'integer'],
    ['ask_at', 'text'],
    ['step', 'integer'],
  ] as const)
    await db.schema.alterTable('provider_traits').addColumn(column, type).execute();
}
