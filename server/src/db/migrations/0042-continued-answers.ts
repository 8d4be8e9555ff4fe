import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * An answer that ended early can be continued by the run that wrote it: the step at which it last began again, and the call
 * that asked for it, so that a retry of the call is recognized. And how long its model has thought.
 */
export async function up(db: Kysely<Database>) {
  const runs = () => db.schema.alterTable('runs');
  await runs().addColumn('continued_step', 'integer').execute();
  await runs().addColumn('continue_client_id', 'text').execute();
  await runs().addColumn('continue_digest', 'text').execute();
  await runs().addColumn('thought_ms', 'integer').execute();
}
