// Keeps every test that has a database on both engines. What runs on one of them stands below with its reason; the list
// holds nothing that is not needed. Proven on planted violations before each run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const beforeSql = 'what it checks is answered before SQL is asked';
const ofSqlite = 'about SQLite itself';
const onOne = {
  'features/auth/query-plans.test.ts': ofSqlite,
  'features/chat/query-plans.test.ts': ofSqlite,
  'features/chat/statements.test.ts': ofSqlite,
  'features/chat/runs/processes.test.ts': 'several processes share PostgreSQL only',
  'features/openai-api/assistants/runs/processes.test.ts': 'several processes share PostgreSQL only',
  'operator/tables.test.ts': 'both engines have the same tables, by the same migrations',
  'operator/tampered-backup.test.ts': 'a backup is the same file from both; backup.test.ts has it from and into both',
  'features/account/key-format.test.ts':
    'about the sealing; the keys of both engines are in account and operator tests',
  'features/chat/runs/full-disk.test.ts': "about SQLite's disk; that of PostgreSQL is away, and in away.test.ts",
  'features/chat/runs/drain.test.ts': 'about signals; runs that are cut off are ended on both in recover.test.ts',
  'features/files/memory.test.ts': 'about the bytes of files, which no database sees',
  'metrics/dashboards.test.ts': 'PostgreSQL has the metrics of SQLite, and those of its connections',
  'provider/personas.test.ts': 'about what servers send, whatever the database',
  'tracing/tracing.test.ts': 'about what is told of requests, whatever the database',
  'db/pgbouncer.system.test.ts': 'about PostgreSQL behind a pooler',
  'main.test.ts': 'about the process',
  'log-failure.test.ts': 'about the log',
  'http/api-description.test.ts': beforeSql,
  'http/program-api-description.test.ts': beforeSql,
  'http/connections.test.ts': beforeSql,
  'http/draining.test.ts': 'about connections at a stop, whatever the database',
  'http/json-body.test.ts': beforeSql,
  'http/protection.test.ts': beforeSql,
  'http/rates.test.ts': beforeSql,
  'http/shared-rates.test.ts': 'several processes share PostgreSQL only',
  'http/proxy.test.ts': 'about connections to other machines, whatever the database',
  'http/refusals-in-log.test.ts': beforeSql,
  'http/required-texts.test.ts': beforeSql,
  'http/hanging-provider.test.ts': 'about waiting for the provider, while no query is under way',
};

const hasDatabase = /\b(?:start\w*App|emptyDatabase|readyDatabase|killableServer|spawnServer)\(/;
const goesThroughBoth = /\.each\(\s*(?:engines|filePlaces)\b|\bengines\.map\(/;
/** Whether it has a database, of one engine only. */
const isOnOne = (text) =>
  hasDatabase.test(text) && !goesThroughBoth.test(text) && !(text.includes("'sqlite'") && text.includes("'postgres'"));

const planted = [
  "app = await startApp('sqlite');",
  "const { app } = await startMailingApp('postgres');",
  "const { url } = await emptyDatabase('sqlite');",
  'const server = await killableServer({ DATA_DIR });',
];
const harmless = [
  "describe.each(engines)('on %s', (engine) => { beforeAll(() => startApp(engine)); });",
  'describe.each(filePlaces)("%s %s", (engine, store) => startFileApp(engine, store));',
  "await emptyDatabase('sqlite'); await emptyDatabase('postgres');",
  "expect(loadConfig({ PORT: '1' }).port).toBe(1);",
];

const failures = [];
for (const text of planted) if (!isOnOne(text)) failures.push(`A planted violation was not found: ${text}`);
for (const text of harmless) if (isOnOne(text)) failures.push(`Found where nothing is wrong: ${text}`);

const folder = join(root, 'server/src');
const tests = readdirSync(folder, { recursive: true })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts'));
const found = new Set(tests.filter((path) => isOnOne(readFileSync(join(folder, path), 'utf8'))));
for (const path of found)
  if (!Object.hasOwn(onOne, path)) failures.push(`${path} runs on one engine only: go through both with describe.each`);
for (const path of Object.keys(onOne)) if (!found.has(path)) failures.push(`${path} is on the list and need not be`);
if (tests.length < 100) failures.push(`Only ${tests.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(`${tests.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
