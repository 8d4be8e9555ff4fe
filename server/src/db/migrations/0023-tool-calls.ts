import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** How far a call of a tool is and where in its answer it stands; the tools of the provider that an assistant may use. */
export async function up(db: Kysely<Database>) {
  const alter = () => db.schema.alterTable('tool_calls');
  await alter()
    .addColumn('title', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await alter().addColumn('server', 'text').execute();
  await alter()
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('done'))
    .execute();
  await alter()
    .addColumn('text_at', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update tool_calls set state = 'waiting' where kind = 'function' and output is null`.execute(db);
  await placeFunctions(db);

  await db.schema
    .alterTable('assistants')
    .addColumn('tools', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
  await switchCodeOn(db);
}

const atOnce = 200;

/** Functions were called at the end of an answer, all other tools before it. Counted here, because databases count otherwise. */
async function placeFunctions(db: Kysely<Database>) {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; text: string }>`select id, text from messages where id > ${after}
      and id in (select message_id from tool_calls where kind = 'function') order by id limit ${atOnce}`.execute(db);
    for (const { id, text } of rows)
      await sql`update tool_calls set text_at = ${text.length} where message_id = ${id} and kind = 'function'`.execute(
        db,
      );
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** What programs have said of assistants counts for their pages too. */
async function switchCodeOn(db: Kysely<Database>) {
  const { rows } = await sql<{ id: number; fields: string }>`select assistant_id as id, fields
    from assistant_api_fields where fields like '%code_interpreter%'`.execute(db);
  for (const { id, fields } of rows) {
    const { tools }: { tools?: unknown } = JSON.parse(fields);
    if (!Array.isArray(tools) || !tools.some((tool) => tool?.type === 'code_interpreter')) continue;
    await sql`update assistants set tools = '{"codeInterpreter":{}}' where id = ${id}`.execute(db);
  }
}
