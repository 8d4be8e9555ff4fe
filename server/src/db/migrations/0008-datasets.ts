import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** What readers think of answers, and the datasets that are gathered from it. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('message_ratings')
    .addColumn('message_id', 'integer', (c) => c.primaryKey().references('messages.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('value', 'text')
    .addColumn('correction', 'text')
    .addColumn('rated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('message_ratings_user')
    .on('message_ratings')
    .columns(['user_id', 'message_id'])
    .execute();

  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      )
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await table('datasets')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('format', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('datasets_user').on('datasets').columns(['user_id', 'updated_at', 'id']).execute();

  await table('dataset_examples')
    .addColumn('dataset_id', 'integer', (c) => c.notNull().references('datasets.id').onDelete('cascade'))
    .addColumn('source_message_id', 'integer', (c) => c.references('messages.id').onDelete('set null'))
    .addColumn('rejected_message_id', 'integer')
    .addColumn('instructions', 'text', (c) => c.notNull())
    .addColumn('turns', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('rejected', 'text')
    .addColumn('review', 'text', (c) => c.notNull())
    .addColumn('edited', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('dataset_examples_dataset')
    .on('dataset_examples')
    .columns(['dataset_id', 'id'])
    .execute();
  // Holds all that counting by review needs: the texts before that column may be long.
  await db.schema
    .createIndex('dataset_examples_review')
    .on('dataset_examples')
    .columns(['user_id', 'dataset_id', 'review', 'id'])
    .execute();
  await db.schema.createIndex('dataset_examples_source').on('dataset_examples').column('source_message_id').execute();
  await sql`create unique index dataset_examples_once
    on dataset_examples (dataset_id, source_message_id, coalesce(rejected_message_id, 0))
    where source_message_id is not null`.execute(db);
}
