import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * Comparisons have a candidate and a baseline, with settings of their own, and are asked by the server. Nothing is taken away:
 * the version before, which may run beside this one for a while, compares a tuned model with its base.
 */
export async function up(db: Kysely<Database>) {
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
  await db.schema.createIndex('comparisons_assistant').on('comparisons').column('assistant_id').execute();

  await db.schema.alterTable('comparison_prompts').addColumn('baseline_text', 'text').execute();
  await db.schema
    .alterTable('comparison_prompts')
    .addColumn('is_due', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
