import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Who is signed in at a tool server, and sign-ins that are under way. */
export async function up(db: Kysely<Database>) {
  await db.schema
    .createTable('tool_server_sign_ins')
    .addColumn('server_id', 'integer', (c) => c.notNull().references('tool_servers.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('client_sealed', 'text')
    .addColumn('tokens_sealed', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('signed_in_at', 'text')
    .addColumn('notice', 'text')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('renewed_until', 'text')
    .addPrimaryKeyConstraint('tool_server_sign_ins_key', ['server_id', 'user_id'])
    .execute();
  await db.schema.createIndex('tool_server_sign_ins_owner').on('tool_server_sign_ins').column('user_id').execute();

  await db.schema
    .createTable('tool_server_flows')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('server_id', 'integer', (c) => c.notNull().references('tool_servers.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('tool_server_flows_server').on('tool_server_flows').column('server_id').execute();
  await db.schema.createIndex('tool_server_flows_owner').on('tool_server_flows').column('user_id').execute();
  await db.schema.createIndex('tool_server_flows_age').on('tool_server_flows').column('created_at').execute();
}
