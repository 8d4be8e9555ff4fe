import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** What the tools of the provider have made for an answer, until it is kept as a file, and why it is not. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('made_files')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('message_id', 'integer', (c) => c.notNull().references('messages.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('container_id', 'text')
    .addColumn('container_file_id', 'text')
    .addColumn('fetch_until', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('made_files_place', ['message_id', 'position'])
    .execute();
  await db.schema.createIndex('made_files_owner').on('made_files').column('user_id').execute();
  await sql`create index made_files_to_fetch on made_files (fetch_until) where state = 'fetching'`.execute(db);

  await db.schema
    .alterTable('files')
    .addColumn('made_by_assistant', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
