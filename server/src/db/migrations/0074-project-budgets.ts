import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Budgets of projects. A table of its own: the previous release takes a budget without an assistant for the general one. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('project_budgets')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'integer', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('amount_usd', 'double precision', (c) => c.notNull())
    .addColumn('warn_at', 'double precision', (c) => c.notNull())
    .addColumn('hard_stop', 'integer', (c) => c.notNull())
    .addColumn('tz', 'text', (c) => c.notNull())
    .addUniqueConstraint('project_budgets_once', ['user_id', 'project_id'])
    .execute();
  await db.schema.createIndex('project_budgets_project').on('project_budgets').column('project_id').execute();
}
