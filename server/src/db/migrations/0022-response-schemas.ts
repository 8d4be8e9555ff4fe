import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The form of an assistant's answers as the text of a JSON schema, and the one that an answer was asked for with. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('assistants').addColumn('response_schema', 'text').execute();
  await db.schema.alterTable('runs').addColumn('response_schema', 'text').execute();
}
