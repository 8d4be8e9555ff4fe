import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** People's accounts with providers beside the installation's own. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('connections')
    // Never reused: models that are stored with a removed connection must not be answered by a later one.
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('preset', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'text')
    .addColumn('key_last4', 'text')
    .addColumn('api', 'text', (c) => c.notNull())
    .addColumn('first_token_seconds', 'integer')
    .addColumn('is_paused', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('notice', 'text')
    .addColumn('checks', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('checked_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('connections_name', ['user_id', 'name_key'])
    .execute();
}
