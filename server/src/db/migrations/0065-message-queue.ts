import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Messages that are sent when the answer being written has ended. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('queued_messages')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('files', 'text', (c) => c.notNull())
    .addColumn('models', 'text', (c) => c.notNull())
    .addColumn('over_budget', 'integer', (c) => c.notNull())
    .addColumn('held', 'text')
    .addColumn('problem', 'text')
    .addColumn('send_now', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('client_digest', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('queued_messages_client', ['user_id', 'client_id'])
    .execute();
  await db.schema
    .createIndex('queued_messages_thread')
    .on('queued_messages')
    .columns(['thread_id', 'position'])
    .execute();
  // Read every few seconds: messages that are to be sent.
  await sql`create index queued_messages_due on queued_messages (thread_id) where held is null`.execute(db);
}
