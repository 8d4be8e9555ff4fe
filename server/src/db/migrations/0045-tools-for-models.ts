import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** What models are told of a tool's arguments, beside what its server says of them. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('tool_server_tools').addColumn('model_schema', 'text').execute();
}
