import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Of several answers to one question, which one was chosen. So far that is known where one is shown that is not the first. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .alterTable('messages')
    .addColumn('chosen', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update messages set chosen = 1 where id in
    (select r.message_id from threads t join runs r on r.message_id = t.head_message_id where r.beside > 0)`.execute(
    db,
  );
}
