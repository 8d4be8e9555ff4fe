import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** The dataset that a training file was saved from, and the one that a job was trained with: a model that ends names it. */
export async function up(db: Kysely<Database>) {
  for (const table of ['files', 'fine_tuning_jobs']) {
    await db.schema
      .alterTable(table)
      .addColumn('dataset_id', 'integer', (c) => c.references('datasets.id').onDelete('set null'))
      .execute();
    // What is emptied with a deleted dataset is found by it.
    await sql`create index ${sql.ref(`${table}_of_dataset`)} on ${sql.table(table)} (dataset_id)
      where dataset_id is not null`.execute(db);
  }
}
