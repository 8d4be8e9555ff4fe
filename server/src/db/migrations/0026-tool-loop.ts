import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Answers that call tools of tool servers, step by step, and wait for a person where one is to approve a call. */
export async function up(db: Kysely<Database>) {
  const runs = () => db.schema.alterTable('runs');
  await runs().addColumn('tool_loop', 'text').execute();
  await runs().addColumn('waits_until', 'text').execute();
  // A run that waits is not over: its conversation takes no other question, and what looks for runs finds it.
  await sql`drop index runs_one_question_per_thread`.execute(db);
  await sql`create unique index runs_one_question_per_thread on runs (thread_id, beside)
    where state in ('queued', 'running', 'waiting')`.execute(db);
  await sql`drop index runs_under_way`.execute(db);
  await sql`create index runs_under_way on runs (user_id) where state in ('queued', 'running', 'waiting')`.execute(db);

  const calls = () => db.schema.alterTable('tool_calls');
  await calls()
    .addColumn('step', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await calls().addColumn('server_id', 'integer').execute();
  for (const column of ['tool', 'digest', 'decision', 'reason']) await calls().addColumn(column, 'text').execute();
  await calls()
    .addColumn('may_repeat', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('thread_approvals')
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('server_id', 'integer', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('given', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('thread_approvals_key', ['thread_id', 'server_id', 'tool', 'digest'])
    .execute();
  await db.schema.createIndex('thread_approvals_of_user').on('thread_approvals').column('user_id').execute();

  // Beside `run_id`, of which there is one record for each purpose.
  await db.schema.alterTable('usage_records').addColumn('step_of', 'integer').execute();
  await db.schema.alterTable('usage_records').addColumn('step', 'integer').execute();
  await sql`create unique index usage_once_per_step on usage_records (step_of, step) where step_of is not null`.execute(
    db,
  );
}
