import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Conversations that are in no list and end by themselves, and what they have cost. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('threads').addColumn('expires_at', 'text').execute();
  await sql`create index threads_expiring on threads (expires_at) where expires_at is not null`.execute(db);
  await db.schema
    .alterTable('usage_records')
    .addColumn('temporary', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // For conversations that are kept after all.
  await sql`create index usage_of_temporary_threads on usage_records (thread_id) where temporary = 1`.execute(db);
}
