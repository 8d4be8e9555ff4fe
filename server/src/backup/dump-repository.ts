import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { type SearchRepository, searchRepository } from '#server/features/chat/shared/search-repository';
import { installationKeyRepository } from '#server/security/installation-key-repository';

export type Table = Exclude<keyof Database, 'schema_migrations'>;

/**
 * Every table of an installation, after those that it refers to. A table of the schema that is missing here does not
 * compile, because it would be missing from every backup.
 */
const tableOrder: Record<Table, true> = {
  settings: true,
  instances: true,
  rate_counts: true,
  users: true,
  sessions: true,
  second_factors: true,
  totp_setups: true,
  recovery_codes: true,
  remembered_devices: true,
  sign_in_challenges: true,
  webauthn_challenges: true,
  access_tokens: true,
  data_keys: true,
  provider_keys: true,
  connections: true,
  connection_offers: true,
  connection_offer_people: true,
  connection_spend: true,
  provider_traits: true,
  assistants: true,
  assistant_versions: true,
  assistant_drafts: true,
  assistant_moves: true,
  moved_assistants: true,
  assistant_api_fields: true,
  tool_servers: true,
  tool_server_tools: true,
  tool_server_descriptions: true,
  assistant_tool_choices: true,
  tool_server_sign_ins: true,
  tool_server_flows: true,
  imports: true,
  projects: true,
  threads: true,
  messages: true,
  runs: true,
  run_events: true,
  queued_messages: true,
  message_summaries: true,
  usage_records: true,
  identities: true,
  sign_in_flows: true,
  groups: true,
  group_members: true,
  scim_users: true,
  provider_sessions: true,
  logout_tokens: true,
  mailed_tokens: true,
  invitations: true,
  preferences: true,
  model_choices: true,
  model_lists: true,
  listed_models: true,
  model_end_mails: true,
  account_notices: true,
  security_events: true,
  files: true,
  file_uploads: true,
  file_uses: true,
  message_files: true,
  made_files: true,
  connection_copies: true,
  provider_copies: true,
  jobs: true,
  usage_by_day: true,
  usage_by_quarter: true,
  usage_by_token: true,
  own_prices: true,
  budgets: true,
  project_budgets: true,
  fine_tuning_jobs: true,
  fine_tuning_events: true,
  fine_tuning_metrics: true,
  fine_tuning_checkpoints: true,
  custom_models: true,
  test_sets: true,
  test_questions: true,
  comparisons: true,
  comparison_prompts: true,
  comparison_judgings: true,
  comparison_verdicts: true,
  assistant_files: true,
  project_files: true,
  vector_stores: true,
  program_vector_stores: true,
  program_vector_store_files: true,
  program_vector_store_batches: true,
  program_vector_store_batch_files: true,
  message_ratings: true,
  prompts: true,
  datasets: true,
  dataset_examples: true,
  provider_admin_keys: true,
  api_calls: true,
  responses: true,
  response_items: true,
  program_runs: true,
  tool_calls: true,
  thread_approvals: true,
};
const isTable = (name: string): name is Table => Object.hasOwn(tableOrder, name);
export const tables = Object.keys(tableOrder).filter(isTable);

/**
 * Deleting a file deletes the rows that name it, or sets their column to null, as their foreign keys say. A provider file must also be deleted there.
 */
export const onFileDeleted: Partial<Record<Table, { column: string; goes: boolean }[]>> = {
  file_uses: [{ column: 'file_id', goes: true }],
  assistant_files: [{ column: 'file_id', goes: true }],
  project_files: [{ column: 'file_id', goes: true }],
  program_vector_store_files: [{ column: 'file_id', goes: true }],
  message_files: [{ column: 'file_id', goes: false }],
  provider_copies: [{ column: 'file_id', goes: false }],
  connection_copies: [{ column: 'file_id', goes: false }],
  fine_tuning_jobs: [
    { column: 'training_file_id', goes: false },
    { column: 'validation_file_id', goes: false },
  ],
};

type Value = string | number | null;
export type Row = Record<string, Value>;

/** An installation's rows as of one moment, in portable values. */
export type Tables = {
  /** Ordered by id, if there is one: rows come after those of their own table that they refer to. */
  rowsOf: (table: Table) => AsyncIterable<Row>;
  /** The last id that each table has given, even if the row is deleted. */
  lastIds: () => Promise<Record<string, number>>;
  migrations: () => Promise<{ name: string; checksum: string }[]>;
};

function portable(row: Record<string, unknown>): Row {
  const values = Object.entries(row).map(([name, value]): [string, Value] => {
    if (value === null || typeof value === 'string' || typeof value === 'number') return [name, value];
    throw new TypeError(`The column ${name} holds a ${typeof value}`);
  });
  return Object.fromEntries(values);
}

const isOrdered = (columns: string[]) => columns.includes('id');

/** The rows of a SQLite file that has no writer meanwhile. */
export function sqliteTables(file: string): Tables & { close: () => void } {
  const database = new DatabaseSync(file, { readOnly: true });
  return {
    async *rowsOf(table) {
      const all = database.prepare(`select * from "${table}"`);
      const columns = all.columns().map(({ name }) => name);
      const rows = isOrdered(columns) ? database.prepare(`select * from "${table}" order by id`) : all;
      for (const row of rows.iterate()) yield portable(row);
    },
    async lastIds() {
      const rows = database.prepare('select name, seq from sqlite_sequence').all();
      return Object.fromEntries(rows.map(({ name, seq }) => [String(name), Number(seq)]));
    },
    async migrations() {
      const rows = database.prepare('select name, checksum from schema_migrations order by name').all();
      return rows.map(({ name, checksum }) => ({ name: String(name), checksum: String(checksum) }));
    },
    close: () => database.close(),
  };
}

const fetched = 200;

/** The rows of PostgreSQL as of the start of this transaction, which must be a repeatable read. */
export function postgresTables(trx: Kysely<Database>): Tables {
  return {
    async *rowsOf(table) {
      const columns = await columnsOf(trx, table);
      const order = isOrdered(columns) ? sql`order by id` : sql``;
      await sql`declare backup no scroll cursor for select * from ${sql.table(table)} ${order}`.execute(trx);
      for (;;) {
        const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(fetched)} from backup`.execute(trx);
        for (const row of rows) yield portable(row);
        if (rows.length < fetched) break;
      }
      await sql`close backup`.execute(trx);
    },
    async lastIds() {
      const { rows } = await sql<{ name: string; last: number | null }>`select sequencename as name, last_value as last
        from pg_sequences where schemaname = current_schema()`.execute(trx);
      return Object.fromEntries(rows.map(({ name, last }) => [name.replace(/_id_seq$/, ''), last ?? 0]));
    },
    migrations: () => trx.selectFrom('schema_migrations').select(['name', 'checksum']).orderBy('name').execute(),
  };
}

async function columnsOf(db: Kysely<Database>, table: Table): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
}

/** True if there is an account; a database without tables has none. */
export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  if ((await columnsOf(db, 'users')).length === 0) return false;
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** True if the file still exists now. */
export async function hasFile(db: Kysely<Database>, id: number): Promise<boolean> {
  return (await db.selectFrom('files').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

async function keyCheckOf(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'key_check').executeTakeFirst();
  return row?.value;
}

/** The ids of the master keys that rows still name. */
export async function keysInUse(db: Kysely<Database>): Promise<Set<string>> {
  const rows = await db
    .selectFrom('data_keys')
    .select(sql<string>`substr(wrapped, 1, 11)`.as('head'))
    .distinct()
    .execute();
  const ofInstallation = await installationKeyRepository(db).find();
  const heads = [...rows.map(({ head }) => head), (await keyCheckOf(db)) ?? '', ofInstallation ?? ''];
  return new Set(heads.map((head) => head.split('.')[1] ?? ''));
}

/** The temporary space for a backup: with SQLite a second copy of the database, and a third as text. */
export async function backupBytes({ db, file }: Pick<OpenDatabase, 'db' | 'file'>): Promise<number> {
  const { total } = await db
    .selectFrom('files')
    .select(sql<string | number>`coalesce(sum(size), 0)`.as('total'))
    .executeTakeFirstOrThrow();
  if (file) return Number(total) + 2 * statSync(file).size;
  const { rows } = await sql<{ size: string }>`select pg_database_size(current_database()) as size`.execute(db);
  return Number(total) + Number(rows[0]?.size ?? 0);
}

/** A consistent copy of a SQLite database during writes. `copy` must be an empty file. */
export const snapshot = (db: Kysely<Database>, copy: string) => sql`vacuum into ${copy}`.execute(db);

/**
 * Copies an installation's rows into a database without accounts, whatever else it contains, and fills the search
 * index. Id sequences continue. Must be called in a transaction. Returns the number of rows by table.
 */
export async function fill(
  trx: Kysely<Database>,
  from: Tables,
  /** The tables of the rows' version. */
  those: readonly Table[] = tables,
): Promise<Map<Table, number>> {
  const existing = await trx.introspection.getTables();
  for (const table of those.toReversed()) await sql`delete from ${sql.table(table)}`.execute(trx);
  const counts = new Map<Table, number>();
  const search = searchRepository(trx);
  const index = await search.withoutIndex();
  for (const table of those) {
    const columns = existing.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
    let count = 0;
    for await (const rows of batches(from.rowsOf(table))) {
      await insert(trx, table, columns, rows);
      await putWords(search, table, rows);
      count += rows.length;
    }
    const stored = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(trx);
    if (stored.rows[0]?.count !== count) throw new Error(`${table} has not taken all of its rows`);
    counts.set(table, count);
  }
  await putNames(trx, search);
  await index();
  await continueIds(trx, await from.lastIds(), those);
  return counts;
}

async function putWords(search: SearchRepository, table: Table, rows: Row[]) {
  const entries = rows.flatMap(({ id, user_id: userId, title, text }) => {
    const words = table === 'threads' ? title : text;
    return typeof id === 'number' && typeof userId === 'number' && typeof words === 'string'
      ? [{ id, userId, text: words }]
      : [];
  });
  if (table === 'threads') await search.putAll('thread_search', entries);
  if (table === 'messages')
    await search.putAll(
      'message_search',
      entries.filter(({ text }) => text !== ''),
    );
}

/** Attachment names are searchable too; they are in a separate table. */
async function putNames(trx: Kysely<Database>, search: SearchRepository) {
  for (let after = 0; ; ) {
    const messages = await trx
      .selectFrom('messages')
      .select(['id', 'user_id', 'text'])
      .where('id', '>', after)
      .where('id', 'in', trx.selectFrom('message_files').select('message_id'))
      .orderBy('id')
      .limit(fetched)
      .execute();
    const last = messages.at(-1);
    if (!last) break;
    const files = await trx
      .selectFrom('message_files')
      .select(['message_id', 'filename'])
      .where('message_id', '>', after)
      .where('message_id', '<=', last.id)
      .orderBy('position')
      .execute();
    const names = Map.groupBy(files, ({ message_id }) => message_id);
    for (const { id, user_id, text } of messages)
      await search.putMessage(
        user_id,
        id,
        text,
        names.get(id)?.map(({ filename }) => filename),
      );
    after = last.id;
  }
}

/** A few rows at once: fewer if they are large. */
async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    batch.push(row);
    for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length;
    if (batch.length < 200 && characters < 1_000_000) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function insert(trx: Kysely<Database>, table: Table, columns: string[], rows: Row[]) {
  for (const row of rows)
    if (Object.keys(row).length !== columns.length || !columns.every((name) => Object.hasOwn(row, name)))
      throw new Error(`A row of ${table} has other columns than the table`);
  const lists = rows.map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
  const names = sql.join(columns.map((name) => sql.id(name)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(lists)}`.execute(trx);
}

async function continueIds(trx: Kysely<Database>, lastIds: Record<string, number>, those: readonly Table[]) {
  for (const table of those) {
    const last = lastIds[table] ?? 0;
    if (last === 0) continue;
    if (isPostgres(trx)) {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(trx);
    } else {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(trx);
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(trx);
    }
  }
}
