import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Tags of assistants, forms that were left without saving, and conversations that try unsaved settings. */
export async function up(db: Kysely<Database>, engine: Engine) {
  for (const table of ['assistants', 'assistant_versions'])
    await db.schema
      .alterTable(table)
      .addColumn('tags', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
  await db.schema.alterTable('threads').addColumn('trial_settings', 'text').execute();

  await db.schema
    .createTable('assistant_drafts')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('cascade'))
    .addColumn('version', 'integer')
    .addColumn('draft', 'text', (c) => c.notNull())
    .addColumn('saved_at', 'text', (c) => c.notNull())
    .execute();
  // One for each assistant, and one for a new one.
  await sql`create unique index assistant_drafts_place on assistant_drafts (user_id, coalesce(assistant_id, 0))`.execute(
    db,
  );
  await sql`create index assistant_drafts_assistant on assistant_drafts (assistant_id)`.execute(db);
}
