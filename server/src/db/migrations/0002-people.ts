import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Ways to sign in besides the password, mailed tokens, preferences, the record of security events, background jobs. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      );

  // Kept with the account: sessions are deleted when they end.
  await db.schema.alterTable('users').addColumn('last_active_at', 'text').execute();
  await sql`update users set last_active_at =
    (select max(sessions.last_active_at) from sessions where sessions.user_id = users.id)`.execute(db);
  // A thread takes its runs along when it is deleted; without this each deletion reads all runs there are.
  await db.schema.createIndex('runs_thread').on('runs').column('thread_id').execute();

  // One index for each order of the list of accounts, in the order of bytes on both engines (users/list-repository.ts).
  const inBytes = sql.raw(engine === 'postgres' ? ' collate "C"' : '');
  await sql`create index users_by_name on users (coalesce(lower(name${inBytes}), ''), id)`.execute(db);
  await sql`create index users_by_role on users (role${inBytes}, id)`.execute(db);
  await sql`create index users_by_status on users (status${inBytes}, id)`.execute(db);
  await sql`create index users_by_activity on users (coalesce(last_active_at${inBytes}, ''), id)`.execute(db);
  // On SQLite the unique index of the address does it.
  if (engine === 'postgres') await sql`create index users_by_email on users (email${inBytes}, id)`.execute(db);

  await table('identities')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('identities_subject', ['provider', 'subject'])
    .addUniqueConstraint('identities_one_each', ['user_id', 'provider'])
    .execute();

  await db.schema
    .createTable('sign_in_flows')
    .addColumn('id_hash', 'text', (c) => c.primaryKey())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('nonce', 'text', (c) => c.notNull())
    .addColumn('code_verifier', 'text', (c) => c.notNull())
    .addColumn('return_path', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('session_id', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sign_in_flows_age').on('sign_in_flows').column('created_at').execute();

  await table('mailed_tokens')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('proves_email', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('used_at', 'text')
    .execute();
  await db.schema
    .createIndex('mailed_tokens_newest')
    .on('mailed_tokens')
    .columns(['user_id', 'purpose', 'id'])
    .execute();

  await db.schema
    .createTable('preferences')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('theme', 'text', (c) => c.notNull())
    .addColumn('notifications_enabled', 'integer', (c) => c.notNull())
    .addColumn('sound_enabled', 'integer', (c) => c.notNull())
    .addColumn('custom_colors', 'integer', (c) => c.notNull())
    .addColumn('background_color', 'text')
    .addColumn('foreground_color', 'text')
    .addColumn('primary_color', 'text')
    .addColumn('accent_color', 'text')
    .addColumn('card_color', 'text')
    .execute();

  // `user_id` is emptied, not cascaded, where only that an account was deleted is to be known afterwards.
  await table('security_events')
    .addColumn('user_id', 'integer')
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('done_by', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text')
    .addColumn('ip_address', 'text')
    .addColumn('detail', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('security_events_user').on('security_events').columns(['user_id', 'id']).execute();
  await db.schema.createIndex('security_events_age').on('security_events').column('created_at').execute();

  await table('jobs')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('run_at', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('claimed_until', 'text')
    .addColumn('last_error', 'text')
    .addColumn('given_up_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await sql`create index jobs_due on jobs (run_at, id) where given_up_at is null`.execute(db);
}
