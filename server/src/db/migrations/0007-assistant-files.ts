import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** The files that assistants know from, and the vector stores at the provider that make them searchable. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('assistant_files')
    .addColumn('assistant_id', 'integer', (c) => c.notNull().references('assistants.id').onDelete('cascade'))
    .addColumn('file_id', 'integer', (c) => c.notNull().references('files.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('indexed_file_id', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addColumn('changed_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('assistant_files_pk', ['assistant_id', 'file_id'])
    .execute();
  await db.schema.createIndex('assistant_files_file').on('assistant_files').column('file_id').execute();
  await db.schema.createIndex('assistant_files_user').on('assistant_files').column('user_id').execute();

  // It outlives its assistant until it is removed at the provider.
  await db.schema
    .createTable('vector_stores')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('assistant_id', 'integer', (c) => c.unique().references('assistants.id').onDelete('set null'))
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('sent_at', 'text')
    .addColumn('provider_store_id', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('instance', 'integer')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('vector_stores_user').on('vector_stores').columns(['user_id', 'state']).execute();

  await db.schema
    .alterTable('runs')
    .addColumn('sources', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
