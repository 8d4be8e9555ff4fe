import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** ALM, LRM and RLM, embeddings and overrides, isolates: a name with one of them can read like another name. */
const turning = Array.from('\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069');
const any = turning.join('');

const names = [
  ['users', 'name'],
  ['access_tokens', 'name'],
  ['assistants', 'name'],
  ['assistant_versions', 'name'],
  ['tool_servers', 'name'],
  ['tool_server_tools', 'title'],
  ['threads', 'title'],
  ['message_files', 'filename'],
  ['made_files', 'filename'],
  ['fine_tuning_jobs', 'name'],
  ['custom_models', 'name'],
  ['comparisons', 'title'],
  ['test_sets', 'name'],
  ['datasets', 'name'],
  ['program_vector_stores', 'name'],
] as const;

/**
 * Names that were stored before they were tidied (contracts/src/name.ts) lose what turns the direction of writing. All
 * that can be seen of them stays; a name of nothing else stays as it is.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  for (const [table, column] of names) {
    const name = sql.ref(column);
    const has =
      engine === 'postgres' ? sql`${name} ~ ${sql.lit(`[${any}]`)}` : sql`${name} glob ${sql.lit(`*[${any}]*`)}`;
    const without: RawBuilder<unknown> = turning.reduce<RawBuilder<unknown>>(
      (text, mark) => sql`replace(${text}, ${sql.lit(mark)}, '')`,
      sql`${name}`,
    );
    await sql`update ${sql.table(table)} set ${name} = ${without} where ${has} and trim(${without}) <> ''`.execute(db);
  }
}
