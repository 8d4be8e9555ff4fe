import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** What a provider wants back with a call of its model while the turn lasts, as JSON; null: nothing. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('tool_calls').addColumn('echo', 'text').execute();
}
