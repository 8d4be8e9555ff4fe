import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The operations of an OpenAPI description, and those that its owner has chosen as tools. */
export async function up(db: Kysely<Database>) {
  for (const column of ['operations', 'chosen'])
    await db.schema.alterTable('tool_server_descriptions').addColumn(column, 'text').execute();
}
