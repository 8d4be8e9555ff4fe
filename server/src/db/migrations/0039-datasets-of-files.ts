import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * The dataset that a training file was saved from, and the one that a job was trained with: a model that ends names it.
 * Without a foreign key, because backups have files and jobs before datasets; an id is never given again, so that of a
 * deleted dataset finds nothing.
 */
export async function up(db: Kysely<Database>) {
  for (const table of ['files', 'fine_tuning_jobs'])
    await db.schema.alterTable(table).addColumn('dataset_id', 'integer').execute();
}
