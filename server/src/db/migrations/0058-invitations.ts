import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Invitations, and the one that a sign-in at a login provider accepts. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const id = sql.raw(engine === 'postgres' ? 'serial primary key' : 'integer primary key autoincrement');
  const statements = [
    sql`create table invitations (
      id ${id},
      email text not null,
      role text not null,
      token_hash text unique,
      is_mailed integer not null,
      version integer not null,
      days integer not null,
      invited_by integer references users(id) on delete set null,
      created_at text not null,
      expires_at text not null,
      accepted_at text,
      user_id integer references users(id) on delete cascade,
      revoked_at text
    )`,
    sql`create unique index invitations_pending on invitations (email) where accepted_at is null and revoked_at is null`,
    sql`create index invitations_inviter on invitations (invited_by)`,
    sql`create index invitations_account on invitations (user_id)`,
  ];
  for (const statement of statements) await statement.execute(db);
  await db.schema.alterTable('sign_in_flows').addColumn('invitation_hash', 'text').execute();
}
