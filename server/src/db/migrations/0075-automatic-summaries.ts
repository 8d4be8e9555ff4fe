import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Assistants that summarize earlier messages by themselves. */
export async function up(db: Kysely<Database>) {
  for (const table of ['assistants', 'assistant_versions'] as const)
    await db.schema
      .alterTable(table)
      .addColumn('earlier_messages', 'text', (c) => c.notNull().defaultTo('keep'))
      .execute();
}
