import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** What models are told of a tool's arguments, beside what its server says of them; which operations of a description become tools. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('tool_server_tools').addColumn('model_schema', 'text').execute();
  await db.schema.alterTable('tool_server_descriptions').addColumn('chosen', 'text').execute();
}
