import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** What the owner of an account is told at the next sign-in and has to put away: who did it, when, and when it was read. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('account_notices')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    // As they were called then; null for the operator, who has no account here.
    .addColumn('done_by', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('dismissed_at', 'text')
    .execute();
  await db.schema.createIndex('account_notices_owner').on('account_notices').columns(['user_id', 'id']).execute();
}
