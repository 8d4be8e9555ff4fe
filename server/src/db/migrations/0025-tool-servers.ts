import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Servers of tools, what they had when Roster last looked, and what assistants may use of it. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('tool_servers')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('auth_type', 'text', (c) => c.notNull())
    .addColumn('auth_name', 'text')
    .addColumn('auth_sealed', 'text')
    .addColumn('auth_last4', 'text')
    .addColumn('is_offered', 'integer', (c) => c.notNull())
    .addColumn('is_on', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('notice', 'text')
    .addColumn('looked_at', 'text')
    .addColumn('look', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('tool_servers_owner').on('tool_servers').columns(['user_id', 'id']).execute();
  await db.schema
    .createIndex('tool_servers_offered')
    .on('tool_servers')
    .columns(['is_offered', 'id'])
    .where('is_offered', '=', 1)
    .execute();

  await db.schema
    .createTable('tool_server_tools')
    .addColumn('server_id', 'integer', (c) => c.notNull().references('tool_servers.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('input_schema', 'text', (c) => c.notNull())
    .addColumn('is_read_only', 'integer', (c) => c.notNull())
    .addColumn('may_repeat', 'integer', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('tool_server_tools_key', ['server_id', 'name'])
    .execute();
  await db.schema.createIndex('tool_server_tools_owner').on('tool_server_tools').column('user_id').execute();

  await db.schema
    .createTable('assistant_tool_choices')
    .addColumn('assistant_id', 'integer', (c) => c.notNull().references('assistants.id').onDelete('cascade'))
    .addColumn('server_id', 'integer', (c) => c.notNull().references('tool_servers.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('approval', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('assistant_tool_choices_key', ['assistant_id', 'server_id', 'name'])
    .execute();
  await db.schema
    .createIndex('assistant_tool_choices_server')
    .on('assistant_tool_choices')
    .columns(['server_id', 'user_id'])
    .execute();
  await db.schema.createIndex('assistant_tool_choices_owner').on('assistant_tool_choices').column('user_id').execute();
}
