import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** What a comparison of a draft would change of its assistant, so that exactly that can be saved. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('comparisons').addColumn('draft', 'text').execute();
}
