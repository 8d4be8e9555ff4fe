import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Moves of assistants to another model, with what each of them changed, so that it can be undone. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('assistant_moves')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('from_model', 'text', (c) => c.notNull())
    .addColumn('to_model', 'text', (c) => c.notNull())
    .addColumn('moved', 'integer', (c) => c.notNull())
    .addColumn('without_temperature', 'integer', (c) => c.notNull())
    .addColumn('without_effort', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('undone_at', 'text')
    .execute();
  await db.schema.createIndex('assistant_moves_of_user').on('assistant_moves').columns(['user_id', 'id']).execute();

  await db.schema
    .createTable('moved_assistants')
    .addColumn('move_id', 'integer', (c) => c.notNull().references('assistant_moves.id').onDelete('cascade'))
    .addColumn('assistant_id', 'integer', (c) => c.notNull().references('assistants.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('version_before', 'integer', (c) => c.notNull())
    .addColumn('version_after', 'integer', (c) => c.notNull())
    .addColumn('dropped_effort', 'text')
    .addColumn('version_undone', 'integer')
    .addPrimaryKeyConstraint('moved_assistants_key', ['move_id', 'assistant_id'])
    .execute();
  // What goes with a deleted assistant or account is found by these.
  await db.schema.createIndex('moved_assistants_of').on('moved_assistants').column('assistant_id').execute();
  await db.schema.createIndex('moved_assistants_of_user').on('moved_assistants').column('user_id').execute();
}
