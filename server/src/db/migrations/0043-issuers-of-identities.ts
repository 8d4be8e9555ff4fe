import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * The issuer that an identity belongs to: two issuers may give one subject to two people, and one person may be known at
 * both. The last release, which may still write, leaves it out; what null stands for is in the settings (issuers.ts).
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  if (engine === 'postgres') {
    await sql`alter table identities add column issuer text,
      drop constraint identities_subject, drop constraint identities_one_each`.execute(db);
  } else {
    // SQLite drops no constraint: the table is made anew.
    await sql`alter table identities rename to identities_before`.execute(db);
    await sql`create table identities (
      id integer primary key autoincrement,
      user_id integer not null references users (id) on delete cascade,
      provider text not null,
      subject text not null,
      email text not null,
      created_at text not null,
      issuer text
    )`.execute(db);
    await sql`insert into identities (id, user_id, provider, subject, email, created_at)
      select id, user_id, provider, subject, email, created_at from identities_before`.execute(db);
    await sql`drop table identities_before`.execute(db);
  }
  await sql`create unique index identities_subject on identities (provider, subject, coalesce(issuer, ''))`.execute(db);
  await sql`create unique index identities_one_each on identities (user_id, provider, coalesce(issuer, ''))`.execute(
    db,
  );
}
