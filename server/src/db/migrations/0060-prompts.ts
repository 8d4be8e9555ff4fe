import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Saved texts with variables, which people insert into their messages. */
export async function up(db: Kysely<Database>, engine: Engine) {
  // The order of names is the same on both engines: by code points, as SQLite has it.
  const sortable = engine === 'postgres' ? sql`text collate "C"` : ('text' as const);
  await db.schema
    .createTable('prompts')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', sortable, (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('search_key', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('text_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text')
    .addUniqueConstraint('prompts_name', ['user_id', 'name'])
    .execute();
}
