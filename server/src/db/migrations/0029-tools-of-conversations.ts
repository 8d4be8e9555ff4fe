import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Tools that a conversation switches for itself, and what tools of the provider cost beside tokens. */
export async function up(db: Kysely<Database>) {
  // JSON; null: all as its assistant has them.
  await db.schema.alterTable('threads').addColumn('tools', 'text').execute();
  // A tool that the provider ran for a run: one record for each call, however often its end is stored.
  await db.schema.alterTable('usage_records').addColumn('call_id', 'text').execute();
  await sql`create unique index usage_once_per_call on usage_records (step_of, call_id) where call_id is not null`.execute(
    db,
  );
}
