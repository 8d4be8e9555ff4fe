import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Tool servers that are told of by an OpenAPI description. */
export async function up(db: Kysely<Database>) {
  for (const column of ['description_url', 'base_url'])
    await db.schema.alterTable('tool_servers').addColumn(column, 'text').execute();
  await db.schema.alterTable('tool_server_tools').addColumn('operation', 'text').execute();
  // Beside the server: a list of servers reads no megabytes.
  await db.schema
    .createTable('tool_server_descriptions')
    .addColumn('server_id', 'integer', (c) => c.primaryKey().references('tool_servers.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('text', 'text')
    .addColumn('left_out', 'text', (c) => c.notNull())
    .addColumn('left_out_count', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('tool_server_descriptions_owner')
    .on('tool_server_descriptions')
    .column('user_id')
    .execute();
}
