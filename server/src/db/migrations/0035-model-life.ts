import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** What providers' lists say of their models' ends, and which of these were told. */
export async function up(db: Kysely<Database>) {
  const ofUser = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await ofUser('model_lists')
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('model_lists_key', ['user_id'])
    .execute();

  await ofUser('listed_models')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('shutdown_date', 'text')
    .addColumn('is_listed', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('listed_models_key', ['user_id', 'model'])
    .execute();
  await sql`create index listed_models_that_end on listed_models (model, shutdown_date)
    where shutdown_date is not null`.execute(db);

  await ofUser('model_end_mails')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('step', 'integer', (c) => c.notNull())
    .addColumn('shutdown_date', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('model_end_mails_key', ['user_id', 'model', 'step'])
    .execute();

  await db.schema
    .alterTable('preferences')
    .addColumn('model_mails', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
}
