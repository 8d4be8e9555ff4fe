import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Imports of conversations, and which import a thread and a message came with. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('imports')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('storage_key', 'text')
    .addColumn('instance', 'integer', (c) => c.notNull())
    .addColumn('source', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('counts', 'text', (c) => c.notNull())
    .addColumn('processed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('imported_threads', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('imported_messages', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('kept', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('error', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('finished_at', 'text')
    .execute();
  await db.schema.createIndex('imports_user').on('imports').columns(['user_id', 'id']).execute();

  for (const table of ['threads', 'messages']) {
    await db.schema.alterTable(table).addColumn('import_id', 'integer').execute();
    await db.schema.alterTable(table).addColumn('source_id', 'text').execute();
    await db.schema
      .createIndex(`${table}_import`)
      .on(table)
      .column('import_id')
      .where('import_id', 'is not', null)
      .execute();
  }
  await db.schema
    .createIndex('threads_source')
    .unique()
    .on('threads')
    .columns(['user_id', 'source_id'])
    .where('source_id', 'is not', null)
    .execute();
  // Copies of a conversation have the same messages, so these are unique only within one.
  await db.schema
    .createIndex('messages_source')
    .unique()
    .on('messages')
    .columns(['thread_id', 'source_id'])
    .where('source_id', 'is not', null)
    .execute();
}
