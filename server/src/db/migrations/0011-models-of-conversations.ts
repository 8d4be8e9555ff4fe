import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * A model for a conversation without an assistant, and several models that answer one question: their runs stand in a
 * conversation together, told apart by how many answers were asked for before. Of each place one can be under way,
 * whatever races: two questions at once would both begin with the first.
 */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('threads').addColumn('model', 'text').execute();
  // What a client id was used for.
  await db.schema.alterTable('messages').addColumn('client_digest', 'text').execute();
  await db.schema
    .alterTable('runs')
    .addColumn('beside', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`drop index runs_one_per_thread`.execute(db);
  await sql`create unique index runs_one_question_per_thread on runs (thread_id, beside)
    where state in ('queued', 'running')`.execute(db);
}
