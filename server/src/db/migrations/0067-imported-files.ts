import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Files that came with an import. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .alterTable('imports')
    .addColumn('imported_files', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('imports')
    .addColumn('with_files', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('files').addColumn('import_id', 'integer').execute();
  await db.schema.alterTable('files').addColumn('source_id', 'text').execute();
  await db.schema
    .createIndex('files_import')
    .on('files')
    .column('import_id')
    .where('import_id', 'is not', null)
    .execute();
  await db.schema
    .createIndex('files_source')
    .unique()
    .on('files')
    .columns(['user_id', 'source_id'])
    .where('source_id', 'is not', null)
    .execute();
}
