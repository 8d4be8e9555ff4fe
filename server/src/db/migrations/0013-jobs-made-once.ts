import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** A job is made once, however often its maker presses: their client's id for it, and what it was asked for with. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('fine_tuning_jobs').addColumn('client_id', 'text').execute();
  await db.schema.alterTable('fine_tuning_jobs').addColumn('client_digest', 'text').execute();
  await db.schema
    .createIndex('fine_tuning_jobs_made_once')
    .on('fine_tuning_jobs')
    .columns(['user_id', 'client_id'])
    .unique()
    .execute();
}
