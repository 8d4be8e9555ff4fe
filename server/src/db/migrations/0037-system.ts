import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** What administrators see of background jobs that failed, and of the processes that are alive. */
export async function up(db: Kysely<Database>) {
  // A word for the kind of failure; last_error may name people.
  await db.schema.alterTable('jobs').addColumn('error_class', 'text').execute();
  await db.schema.alterTable('instances').addColumn('version', 'text').execute();
}
