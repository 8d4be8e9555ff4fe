import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Summaries that models are sent instead of a message and all before it. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('message_summaries')
    .addColumn('message_id', 'integer', (c) => c.primaryKey().references('messages.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('input_tokens', 'integer', (c) => c.notNull())
    .addColumn('output_tokens', 'integer', (c) => c.notNull())
    .addColumn('cost_usd', 'double precision')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('edited_at', 'text')
    .execute();
  // Accounts and threads are deleted by cascade.
  await db.schema.createIndex('message_summaries_user').on('message_summaries').column('user_id').execute();
  await db.schema.createIndex('message_summaries_thread').on('message_summaries').column('thread_id').execute();
}
