import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Headers that a connection sends besides its key, such as those of a gateway. */
export async function up(db: Kysely<Database>) {
  await db.schema.alterTable('connections').addColumn('headers_sealed', 'text').execute();
  await db.schema
    .alterTable('connections')
    .addColumn('header_names', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
