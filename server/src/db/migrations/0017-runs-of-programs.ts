import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * Runs that programs ask for by the Assistants API. Each answer of the provider is a run of its own; what the program calls
 * its run is the chain of them, and has the number of the first. `tool_calls` says what the model called while it answered.
 */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('program_runs')
    .addColumn('run_id', 'integer', (c) => c.primaryKey().references('runs.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('access_token_id', 'integer', (c) => c.references('access_tokens.id').onDelete('set null'))
    .addColumn('current_run_id', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('waits_until', 'text')
    .addColumn('ended_at', 'text')
    .addColumn('options', 'text', (c) => c.notNull())
    .addColumn('metadata', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('program_runs_owner').on('program_runs').column('user_id').execute();
  await db.schema.createIndex('program_runs_thread').on('program_runs').columns(['thread_id', 'run_id']).execute();
  await sql`create index program_runs_waiting on program_runs (user_id) where state = 'waiting'`.execute(db);
  await sql`create index program_runs_by_access_token on program_runs (access_token_id)
    where access_token_id is not null`.execute(db);

  // The number of the chain's first run, in every run of it.
  await db.schema.alterTable('runs').addColumn('program_run_id', 'integer').execute();
  await sql`create index runs_of_programs on runs (program_run_id, id) where program_run_id is not null`.execute(db);

  await db.schema
    .createTable('tool_calls')
    .addColumn('run_id', 'integer', (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('message_id', 'integer', (c) => c.notNull().references('messages.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('call_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('input', 'text', (c) => c.notNull())
    .addColumn('output', 'text')
    .addPrimaryKeyConstraint('tool_calls_place', ['run_id', 'position'])
    .execute();
  await db.schema.createIndex('tool_calls_owner').on('tool_calls').column('user_id').execute();
  await db.schema.createIndex('tool_calls_message').on('tool_calls').column('message_id').execute();
}
