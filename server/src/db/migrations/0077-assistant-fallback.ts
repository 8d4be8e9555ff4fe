import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The model that answers if an assistant's own cannot. */
export async function up(db: Kysely<Database>) {
  for (const table of ['assistants', 'assistant_versions'] as const)
    await db.schema.alterTable(table).addColumn('fallback_model', 'text').execute();
}
