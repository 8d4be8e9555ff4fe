import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Deleted conversations, which can be restored for 30 days. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('threads').addColumn('deleted_at', 'text').execute();
  await sql`create index threads_in_trash on threads (user_id, deleted_at, id) where deleted_at is not null`.execute(
    db,
  );
}
