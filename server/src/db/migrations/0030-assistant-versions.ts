import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** What an assistant was at each save, and which of these wrote an answer; starters, icon and color. */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .alterTable('assistants')
    .addColumn('version', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();

  await db.schema
    .alterTable('assistants')
    .addColumn('starters', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  for (const column of ['icon', 'color']) await db.schema.alterTable('assistants').addColumn(column, 'text').execute();

  // What lists read stands before the long texts, which SQLite then need not walk through.
  await db.schema
    .createTable('assistant_versions')
    .addColumn('assistant_id', 'integer', (c) => c.notNull().references('assistants.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('origin_name', 'text')
    .addColumn('origin_number', 'integer')
    .addColumn('changed', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('temperature', sql`double precision`, (c) => c.notNull())
    .addColumn('reasoning_effort', 'text')
    .addColumn('starters', 'text', (c) => c.notNull())
    .addColumn('icon', 'text')
    .addColumn('color', 'text')
    .addColumn('tools', 'text', (c) => c.notNull())
    .addColumn('response_schema', 'text')
    .addColumn('files', 'text', (c) => c.notNull())
    .addColumn('chosen_tools', 'text', (c) => c.notNull())
    .addColumn('api_fields', 'text')
    .addColumn('instructions', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('assistant_versions_key', ['assistant_id', 'number'])
    .execute();
  await db.schema
    .createIndex('assistant_versions_of_user')
    .on('assistant_versions')
    .columns(['user_id', 'assistant_id', 'number'])
    .execute();

  // What there is becomes the first version, in one statement: the rows stay in the database.
  const list = (pairs: string, rows: string) =>
    engine === 'sqlite'
      ? sql.raw(`(select json_group_array(json_object(${pairs})) from ${rows})`)
      : sql.raw(`(select coalesce(json_agg(json_build_object(${pairs})), '[]')::text from ${rows})`);
  const files = list(
    `'fileId', f.id, 'filename', f.filename`,
    `(select files.id, files.filename from assistant_files
      inner join files on files.id = assistant_files.file_id
      where assistant_files.assistant_id = assistants.id
      order by assistant_files.added_at, files.id) as f`,
  );
  const tools = list(
    `'serverId', t.server_id, 'serverName', t.server_name, 'name', t.name, 'approval', t.approval, 'digest', t.digest`,
    `(select choices.server_id, choices.name,
        case when tool_servers.user_id = choices.user_id or tool_servers.is_offered = 1
          then tool_servers.name else '' end as server_name,
        choices.approval, choices.digest
      from assistant_tool_choices as choices
      inner join tool_servers on tool_servers.id = choices.server_id
      where choices.assistant_id = assistants.id
      order by choices.position) as t`,
  );
  const fields = sql`name, description, model, temperature, reasoning_effort, starters, icon, color, tools,
    response_schema, instructions`;
  await sql`insert into assistant_versions
      (assistant_id, number, user_id, origin, changed, size, created_at, files, chosen_tools, api_fields, ${fields})
    select id, 1, user_id, 'before', '[]', length(instructions), updated_at, ${files}, ${tools},
      (select api.fields from assistant_api_fields as api where api.assistant_id = assistants.id), ${fields}
    from assistants`.execute(db);

  await db.schema.alterTable('runs').addColumn('assistant_version', 'integer').execute();
  // Which versions are kept because an answer came from them.
  await sql`create index runs_of_versions on runs (assistant_id, assistant_version)
    where assistant_version is not null`.execute(db);
}
