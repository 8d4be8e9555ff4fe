import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The service tier that answered a call, and who names a person's conversations. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('usage_records').addColumn('service_tier', 'text').execute();
  await db.schema.alterTable('preferences').addColumn('title_model', 'text').execute();
}
