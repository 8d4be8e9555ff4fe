import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * Connections that administrators offer. Nobody owns one: it survives the account of whoever offered it, and a server
 * of the previous release, whose queries all name an owner, does not see it.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  if (engine === 'postgres') await sql`alter table connections alter column user_id drop not null`.execute(db);
  else await rebuild(db);
  // Two names of nobody's connections are not equal to the constraint of people's.
  await sql`create unique index connections_offered_name on connections (name_key) where user_id is null`.execute(db);
  await db.schema
    .createTable('connection_offers')
    .addColumn('connection_id', 'integer', (c) => c.primaryKey().references('connections.id').onDelete('cascade'))
    .addColumn('audience', 'text', (c) => c.notNull())
    .addColumn('monthly_usd_per_person', 'double precision')
    .addColumn('monthly_usd_total', 'double precision')
    .addColumn('created_by', 'integer', (c) => c.references('users.id').onDelete('set null'))
    .execute();
  await db.schema
    .createTable('connection_offer_people')
    .addColumn('connection_id', 'integer', (c) =>
      c.notNull().references('connection_offers.connection_id').onDelete('cascade'),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('connection_offer_people_key', ['connection_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('connection_offer_people_user')
    .on('connection_offer_people')
    .columns(['user_id', 'connection_id'])
    .execute();
  await db.schema
    .createTable('connection_spend')
    .addColumn('connection_id', 'integer', (c) =>
      c.notNull().references('connection_offers.connection_id').onDelete('cascade'),
    )
    // null: an account that was closed. The money stays spent.
    .addColumn('user_id', 'integer', (c) => c.references('users.id').onDelete('set null'))
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addColumn('unpriced_requests', 'integer', (c) => c.notNull())
    .addColumn('cost_usd', 'double precision', (c) => c.notNull())
    .addUniqueConstraint('connection_spend_key', ['connection_id', 'month', 'user_id', 'model'])
    .execute();
  await db.schema.createIndex('connection_spend_user').on('connection_spend').column('user_id').execute();
}

/** SQLite cannot make a column nullable. Nothing refers to this table yet. */
async function rebuild(db: Kysely<Database>) {
  await sql`create table connections_next (
    id integer primary key autoincrement,
    user_id integer references users (id) on delete cascade,
    preset text not null,
    name text not null,
    name_key text not null,
    base_url text not null,
    key_sealed text,
    key_last4 text,
    api text not null,
    first_token_seconds integer,
    is_paused integer not null default 0,
    position integer not null,
    notice text,
    checks text not null default '[]',
    checked_at text,
    created_at text not null,
    constraint connections_name unique (user_id, name_key)
  )`.execute(db);
  await sql`insert into connections_next (id, user_id, preset, name, name_key, base_url, key_sealed, key_last4, api,
    first_token_seconds, is_paused, position, notice, checks, checked_at, created_at)
    select id, user_id, preset, name, name_key, base_url, key_sealed, key_last4, api,
    first_token_seconds, is_paused, position, notice, checks, checked_at, created_at from connections`.execute(db);
  // The ids of removed connections stay used.
  await sql`delete from sqlite_sequence where name = 'connections_next'`.execute(db);
  await sql`update sqlite_sequence set name = 'connections_next' where name = 'connections'`.execute(db);
  await sql`drop table connections`.execute(db);
  await sql`alter table connections_next rename to connections`.execute(db);
}
