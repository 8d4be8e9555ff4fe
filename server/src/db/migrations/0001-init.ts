import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

export async function up(db: Kysely<Database>, engine: Engine) {
  // AUTOINCREMENT: an id that was deleted is never given again, so an old link cannot come to mean something else.
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      );

  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await table('instances')
    .addColumn('started_at', 'text', (c) => c.notNull())
    .execute();
  await table('users')
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text')
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('email_verified_at', 'text')
    .addColumn('failed_sign_ins', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('user_agent', 'text')
    .addColumn('ip_address', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('last_active_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').columns(['user_id', 'last_active_at']).execute();

  await db.schema
    .createTable('data_keys')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('wrapped', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('provider_keys')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('last4', 'text', (c) => c.notNull())
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addColumn('verified', 'integer', (c) => c.notNull())
    .addColumn('notice', 'text')
    .execute();
  await db.schema
    .createTable('provider_traits')
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('trait', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('learned_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('provider_traits_key', ['base_url', 'model', 'trait'])
    .execute();

  await table('assistants')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('temperature', 'double precision', (c) => c.notNull())
    .addColumn('reasoning_effort', 'text')
    .addColumn('instructions', 'text', (c) => c.notNull())
    .addColumn('is_default', 'integer', (c) => c.notNull())
    .addColumn('provider_assistant_id', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('assistants_user').on('assistants').columns(['user_id', 'id']).execute();
  await sql`create unique index assistants_one_default on assistants (user_id) where is_default = 1`.execute(db);
  await sql`create unique index assistants_one_import on assistants (user_id, provider_assistant_id)
    where provider_assistant_id is not null`.execute(db);

  await table('threads')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('title_source', 'text', (c) => c.notNull())
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('set null'))
    .addColumn('pinned', 'integer', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('head_message_id', 'integer')
    .addColumn('next_position', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('threads_list')
    .on('threads')
    .columns(['user_id', 'archived', 'pinned', 'updated_at', 'id'])
    .execute();
  await db.schema.createIndex('threads_assistant').on('threads').column('assistant_id').execute();

  await table('messages')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('parent_id', 'integer', (c) => c.references('messages.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('depth', 'integer', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('reasoning', 'text', (c) => c.notNull())
    .addColumn('client_id', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('messages_position', ['thread_id', 'position'])
    .addUniqueConstraint('messages_client_id', ['user_id', 'client_id'])
    .execute();
  await db.schema.createIndex('messages_parent').on('messages').columns(['parent_id', 'id']).execute();

  await table('runs')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'integer', (c) => c.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('message_id', 'integer', (c) => c.notNull().unique().references('messages.id').onDelete('cascade'))
    .addColumn('assistant_id', 'integer')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('instance', 'integer', (c) => c.notNull())
    .addColumn('stop_requested', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_event', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('event_marks', 'text')
    .addColumn('finish_reason', 'text')
    .addColumn('error', 'text')
    .addColumn('notes', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('finished_at', 'text')
    .execute();
  // One run at a time in a thread, whatever races: the second insert fails.
  await sql`create unique index runs_one_per_thread on runs (thread_id) where state in ('queued', 'running')`.execute(
    db,
  );
  await sql`create index runs_under_way on runs (user_id) where state in ('queued', 'running')`.execute(db);

  const runEvents = db.schema
    .createTable('run_events')
    .addColumn('run_id', 'integer', (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('first_event', 'integer', (c) => c.notNull())
    .addColumn('last_event', 'integer', (c) => c.notNull())
    .addColumn('events', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('run_events_key', ['run_id', 'first_event']);
  // Written for every live answer five times a second: one tree instead of two.
  await (engine === 'sqlite' ? runEvents.modifyEnd(sql`without rowid`) : runEvents).execute();

  // No reference to the run or thread: what a call has cost stays known when the conversation is deleted.
  await table('usage_records')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('run_id', 'integer')
    .addColumn('thread_id', 'integer')
    .addColumn('assistant_id', 'integer')
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('input_tokens', 'integer', (c) => c.notNull())
    .addColumn('cached_tokens', 'integer', (c) => c.notNull())
    .addColumn('cache_write_tokens', 'integer', (c) => c.notNull())
    .addColumn('output_tokens', 'integer', (c) => c.notNull())
    .addColumn('reasoning_tokens', 'integer', (c) => c.notNull())
    .addColumn('cost_usd', 'double precision')
    .addColumn('price_as_of', 'text')
    .addColumn('estimated', 'integer', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('usage_once_per_run', ['run_id', 'purpose'])
    .execute();
  await db.schema.createIndex('usage_by_day').on('usage_records').columns(['user_id', 'day']).execute();

  await createSearch(db, engine);
}

/**
 * Full-text search, the one part that differs by engine (features/chat/search.ts reads it). The owner is a part of the
 * index, so that a search looks only at its owner's words.
 */
async function createSearch(db: Kysely<Database>, engine: Engine) {
  for (const name of ['thread_search', 'message_search']) {
    if (engine === 'postgres') {
      const parent = name === 'thread_search' ? 'threads' : 'messages';
      await sql`create table ${sql.table(name)} (
        id integer primary key references ${sql.table(parent)}(id) on delete cascade,
        user_id integer not null,
        words tsvector not null)`.execute(db);
      await sql`create index ${sql.ref(`${name}_words`)} on ${sql.table(name)} using gin (words) with (fastupdate = off)`.execute(
        db,
      );
      await sql`create index ${sql.ref(`${name}_user`)} on ${sql.table(name)} (user_id)`.execute(db);
    } else {
      await sql`create virtual table ${sql.table(name)} using fts5(
        owner, words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`.execute(db);
      // Merging while inserting makes single inserts slow (20 ms instead of 1.6 ms at the tail); it is done when idle.
      await sql`insert into ${sql.table(name)}(${sql.ref(name)}, rank) values ('automerge', 0)`.execute(db);
      await sql`insert into ${sql.table(name)}(${sql.ref(name)}, rank) values ('crisismerge', 64)`.execute(db);
    }
  }
}
