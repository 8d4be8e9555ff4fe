import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** A search for a time takes a thread to begin with its oldest message; some exports say otherwise. */
export async function up(db: Kysely<Database>) {
  await sql`update threads set created_at =
      (select min(messages.created_at) from messages where messages.thread_id = threads.id)
    where source_id is not null and exists (select 1 from messages
      where messages.thread_id = threads.id and messages.created_at < threads.created_at)`.execute(db);
}
