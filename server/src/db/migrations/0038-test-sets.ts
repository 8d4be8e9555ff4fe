import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Saved questions of an assistant; comparisons that are runs of such a set, and what their answers came to. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      )
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await table('test_sets')
    .addColumn('assistant_id', 'integer', (c) => c.notNull().references('assistants.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('test_sets_assistant').on('test_sets').columns(['assistant_id', 'id']).execute();
  await db.schema.createIndex('test_sets_user').on('test_sets').column('user_id').execute();

  await table('test_questions')
    .addColumn('set_id', 'integer', (c) => c.notNull().references('test_sets.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('turns', 'text', (c) => c.notNull())
    .addColumn('expected', 'text')
    .execute();
  await db.schema.createIndex('test_questions_set').on('test_questions').columns(['set_id', 'position']).execute();
  await db.schema.createIndex('test_questions_user').on('test_questions').column('user_id').execute();

  // Without its set a run is not shown any more, and is removed by upkeep with its answers.
  await db.schema
    .alterTable('comparisons')
    .addColumn('test_set_id', 'integer', (c) => c.references('test_sets.id').onDelete('set null'))
    .execute();
  await db.schema.createIndex('comparisons_test_set').on('comparisons').columns(['test_set_id', 'id']).execute();

  await db.schema
    .alterTable('comparison_prompts')
    .addColumn('has_baseline', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('comparison_prompts').addColumn('is_same', 'integer').execute();
  await db.schema
    .alterTable('comparison_judgings')
    .addColumn('follows', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('comparison_verdicts').addColumn('outcome', 'text').execute();
}
