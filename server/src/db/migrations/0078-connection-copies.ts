import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Copies of files at the providers of people's connections. `file_id` null: deleted here, to be deleted there. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('connection_copies')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('connection_id', 'integer', (c) => c.notNull().references('connections.id').onDelete('cascade'))
    .addColumn('file_id', 'integer', (c) => c.references('files.id').onDelete('set null'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('provider_file_id', 'text')
    .addColumn('sent_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('connection_copies_once', ['connection_id', 'file_id', 'purpose'])
    .execute();
  await db.schema.createIndex('connection_copies_user').on('connection_copies').columns(['user_id', 'id']).execute();
  await db.schema.createIndex('connection_copies_file').on('connection_copies').column('file_id').execute();
}
