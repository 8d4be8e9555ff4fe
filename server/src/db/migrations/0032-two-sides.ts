import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * Comparisons have a candidate and a baseline, with settings of their own, and are asked by the server. Those of a tuned
 * model and its base become such ones.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  const comparisons = (add: (alter: ReturnType<typeof db.schema.alterTable>) => { execute: () => Promise<void> }) =>
    add(db.schema.alterTable('comparisons')).execute();
  await comparisons((to) => to.addColumn('kind', 'text', (c) => c.notNull().defaultTo('models')));
  await comparisons((to) => to.addColumn('title', 'text', (c) => c.notNull().defaultTo('')));
  await comparisons((to) =>
    to.addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('set null')),
  );
  await comparisons((to) => to.addColumn('candidate', 'text', (c) => c.notNull().defaultTo('')));
  await comparisons((to) => to.addColumn('baseline', 'text'));
  await comparisons((to) => to.addColumn('state', 'text', (c) => c.notNull().defaultTo('idle')));
  await comparisons((to) => to.addColumn('over_budget', 'integer', (c) => c.notNull().defaultTo(0)));
  await comparisons((to) => to.addColumn('refusal', 'text'));

  const settings = (model: 'tuned_model' | 'base_model') => {
    const pairs = sql`'label', ${sql.ref(model)}, 'model', ${sql.ref(model)}, 'instructions', null,
      'temperature', temperature, 'effort', null, 'responseSchema', null, 'assistantVersion', null`;
    return engine === 'postgres' ? sql`json_build_object(${pairs})::text` : sql`json_object(${pairs})`;
  };
  await sql`update comparisons set title = tuned_model || ' and ' || base_model,
    candidate = ${settings('tuned_model')}, baseline = ${settings('base_model')}`.execute(db);
  for (const column of ['tuned_model', 'base_model', 'temperature']) await comparisons((to) => to.dropColumn(column));
  await db.schema.createIndex('comparisons_assistant').on('comparisons').column('assistant_id').execute();

  for (const [before, now] of [
    ['tuned_thread_id', 'candidate_thread_id'],
    ['base_thread_id', 'baseline_thread_id'],
  ] as const) {
    await db.schema.dropIndex(`comparison_prompts_${before}`).execute();
    await db.schema.alterTable('comparison_prompts').renameColumn(before, now).execute();
    await db.schema.createIndex(`comparison_prompts_${now}`).on('comparison_prompts').column(now).execute();
  }
  await db.schema.alterTable('comparison_prompts').addColumn('baseline_text', 'text').execute();
  await db.schema
    .alterTable('comparison_prompts')
    .addColumn('is_due', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update comparison_prompts set vote = case vote when 'tuned' then 'candidate' else 'baseline' end
    where vote in ('tuned', 'base')`.execute(db);
}
