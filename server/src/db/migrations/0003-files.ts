import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Files, uploads under way, what uses a file, and its copies at the provider. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      );
  // The order of names is the same on both engines: by code points, as SQLite has it.
  const sortable = engine === 'postgres' ? sql`text collate "C"` : ('text' as const);

  await table('files')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('name_key', sortable, (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('storage_key', 'text', (c) => c.notNull().unique())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('files_user').on('files').columns(['user_id', 'id']).execute();

  await table('file_uploads')
    .addColumn('user_id', 'integer', (c) => c.notNull())
    .addColumn('storage_key', 'text', (c) => c.notNull().unique())
    .addColumn('reserved_bytes', 'integer', (c) => c.notNull())
    .addColumn('instance', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('file_uploads_user').on('file_uploads').column('user_id').execute();

  await db.schema
    .createTable('file_uses')
    .addColumn('file_id', 'integer', (c) => c.notNull().references('files.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('used_by', 'text', (c) => c.notNull())
    .addColumn('used_by_id', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('file_uses_pk', ['file_id', 'used_by', 'used_by_id'])
    .execute();
  await db.schema.createIndex('file_uses_user').on('file_uses').columns(['user_id', 'file_id']).execute();

  await table('provider_copies')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('file_id', 'integer', (c) => c.references('files.id').onDelete('set null'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('provider_file_id', 'text')
    .addColumn('sent_at', 'text')
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('instance', 'integer')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('provider_copies_one_each', ['file_id', 'purpose'])
    .execute();
  await db.schema.createIndex('provider_copies_user').on('provider_copies').columns(['user_id', 'state']).execute();
  await sql`create index provider_copies_sending on provider_copies (instance) where state = 'forwarding'`.execute(db);
}
