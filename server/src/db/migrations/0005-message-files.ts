import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The files of messages, in order; `file_uses` keeps no order, and forgets a file that is deleted. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('message_files')
    .addColumn('message_id', 'integer', (c) => c.notNull().references('messages.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('file_id', 'integer', (c) => c.references('files.id').onDelete('set null'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('media_type', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_files_pk', ['message_id', 'position'])
    .execute();
  await db.schema.createIndex('message_files_file').on('message_files').column('file_id').execute();
  await db.schema.createIndex('message_files_user').on('message_files').column('user_id').execute();
}
