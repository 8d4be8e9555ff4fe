import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Assistants and projects that came with an import. */
export async function up(db: Kysely<Database>) {
  for (const table of ['assistants', 'projects']) {
    await db.schema.alterTable(table).addColumn('import_id', 'integer').execute();
    await db.schema.alterTable(table).addColumn('source_id', 'text').execute();
    await db.schema
      .createIndex(`${table}_source`)
      .unique()
      .on(table)
      .columns(['user_id', 'source_id'])
      .where('source_id', 'is not', null)
      .execute();
    await db.schema
      .alterTable('imports')
      .addColumn(`imported_${table}`, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
}
