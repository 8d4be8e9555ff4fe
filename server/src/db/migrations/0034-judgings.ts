import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** A model that judges the answers of a comparison, and what it was asked of each prompt, in both orders. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      )
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await table('comparison_judgings')
    .addColumn('comparison_id', 'integer', (c) => c.notNull().references('comparisons.id').onDelete('cascade'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('criteria', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('idle'))
    .addColumn('over_budget', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('refusal', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('comparison_judgings_of')
    .on('comparison_judgings')
    .columns(['comparison_id', 'id'])
    .execute();
  await db.schema.createIndex('comparison_judgings_user').on('comparison_judgings').column('user_id').execute();

  await table('comparison_verdicts')
    .addColumn('judging_id', 'integer', (c) => c.notNull().references('comparison_judgings.id').onDelete('cascade'))
    .addColumn('prompt_id', 'integer', (c) => c.notNull().references('comparison_prompts.id').onDelete('cascade'))
    .addColumn('candidate_first_thread_id', 'integer', (c) => c.references('threads.id').onDelete('set null'))
    .addColumn('baseline_first_thread_id', 'integer', (c) => c.references('threads.id').onDelete('set null'))
    // Without a reference: they say which answers were judged, also when these are gone.
    .addColumn('judged_candidate_thread_id', 'integer')
    .addColumn('judged_baseline_thread_id', 'integer')
    .addColumn('is_due', 'integer', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('comparison_verdicts_once', ['judging_id', 'prompt_id'])
    .execute();
  for (const column of ['user_id', 'prompt_id', 'candidate_first_thread_id', 'baseline_first_thread_id'] as const)
    await db.schema.createIndex(`comparison_verdicts_${column}`).on('comparison_verdicts').column(column).execute();
}
