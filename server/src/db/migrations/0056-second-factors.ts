import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Second factors and passkeys, recovery codes, remembered devices, and sign-ins that wait for a second step. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const id = sql.raw(engine === 'postgres' ? 'serial primary key' : 'integer primary key autoincrement');
  const owner = sql`integer not null references users(id) on delete cascade`;
  const statements = [
    sql`create table second_factors (
      id ${id},
      user_id ${owner},
      kind text not null,
      name text not null,
      secret text,
      last_step integer,
      credential_id text unique,
      public_key text,
      counter bigint,
      transports text,
      device_type text,
      backed_up integer,
      created_at text not null,
      last_used_at text
    )`,
    sql`create index second_factors_owner on second_factors (user_id, id)`,
    sql`create unique index second_factors_one_app on second_factors (user_id) where kind = 'totp'`,
    // An authenticator app that no code has confirmed yet.
    sql`create table totp_setups (
      user_id integer primary key references users(id) on delete cascade,
      secret text not null,
      created_at text not null
    )`,
    sql`create table recovery_codes (
      user_id ${owner},
      selector text not null,
      hash text not null,
      created_at text not null,
      used_at text,
      primary key (user_id, selector)
    )`,
    // A device is forgotten with its session; one whose session only expired has none.
    sql`create table remembered_devices (
      token_hash text primary key,
      user_id ${owner},
      session_id text references sessions(id) on delete cascade,
      created_at text not null,
      expires_at text not null
    )`,
    sql`create index remembered_devices_owner on remembered_devices (user_id)`,
    sql`create index remembered_devices_session on remembered_devices (session_id)`,
    sql`create table sign_in_challenges (
      id_hash text primary key,
      user_id ${owner},
      method text not null,
      return_path text not null,
      attempts integer not null default 0,
      created_at text not null
    )`,
    sql`create index sign_in_challenges_owner on sign_in_challenges (user_id)`,
    sql`create table webauthn_challenges (
      id_hash text primary key,
      user_id integer references users(id) on delete cascade,
      purpose text not null,
      challenge text not null,
      created_at text not null
    )`,
    sql`create index webauthn_challenges_owner on webauthn_challenges (user_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
  // confirmed_at: null means at its start. second_factor: how it was passed.
  for (const column of ['confirmed_at', 'second_factor'])
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
}
