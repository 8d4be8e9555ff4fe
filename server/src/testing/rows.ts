import { type Kysely, sql } from 'kysely';
import type { Engine } from '#server/db/connect';
import type { Database } from '#server/db/schema';

/** The tables whose rows name their owner, as the database lists them. */
async function ownedTables(db: Kysely<Database>): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'user_id'))
    .map(({ name }) => name)
    .sort();
}

const searches = ['message_search', 'thread_search'];

/** All rows of a user in all tables, including those of the search. */
export async function rowsOf(db: Kysely<Database>, engine: Engine, userId: number) {
  const found = new Map<string, unknown[]>();
  const keep = async (name: string, query: ReturnType<typeof sql>) => {
    const { rows } = await query.execute(db);
    found.set(name, rows.map((row) => JSON.stringify(row)).sort());
  };
  await keep('users', sql`select * from users where id = ${userId}`);
  for (const name of await ownedTables(db))
    await keep(name, sql`select * from ${sql.table(name)} where user_id = ${userId}`);
  await keep(
    'run_events',
    sql`select * from run_events where run_id in (select id from runs where user_id = ${userId})`,
  );
  if (engine === 'sqlite')
    for (const name of searches)
      await keep(
        name,
        sql`select rowid from ${sql.table(name)} where ${sql.table(name)} match ${`owner : u${userId}`}`,
      );
  return found;
}

/** Every table in which a text occurs; the inner tables of SQLite's search contain no text. */
export async function tablesWith(db: Kysely<Database>, text: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  const found: string[] = [];
  for (const { name } of tables) {
    if (searches.some((search) => name.startsWith(`${search}_`))) continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(rows).includes(text)) found.push(name);
  }
  return found;
}
