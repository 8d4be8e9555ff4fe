// Requires every test with a database to run on both engines. Tests about PostgreSQL alone are named *.pg.test.ts;
// tests that need one engine for another reason are listed below with it, and the list must not contain more. Verified
// on planted violations before each run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const beforeSql = 'what it checks is answered before SQL is asked';
const ofSqlite = 'about SQLite itself';
const onOne = {
  'features/auth/query-plans.test.ts': ofSqlite,
  'features/chat/query-plans.test.ts': ofSqlite,
  'features/chat/statements.test.ts': ofSqlite,
  'features/projects/query-plans.test.ts': ofSqlite,
  'backup/dump-tables.test.ts': 'both engines have the same tables, by the same migrations',
  'backup/tampered-backup.long.test.ts':
    'a backup is the same file from both; backup.pg.test.ts has it from and into both',
  'provider/keys/key-format.test.ts':
    'about the encryption; the keys of both engines are in account and operator tests',
  'features/chat/runs/full-disk.long.test.ts':
    "about SQLite's disk; that of PostgreSQL is unavailable, and in unavailable.pg.test.ts",
  'features/chat/runs/drain.long.test.ts': 'about signals; runs that are cut off are ended on both in recover.test.ts',
  'features/auth/sign-in-overload.long.test.ts': 'about the queue of hashing, whatever the database',
  'features/tool-servers/openapi/large-description.long.test.ts':
    'about the thread that reads it; descriptions are stored on both in openapi-servers.test.ts',
  'features/files/memory.long.test.ts': 'about the bytes of files, which no database sees',
  'provider/personas.long.test.ts': 'about what servers send, whatever the database',
  'features/chat/messages/connections.long.test.ts':
    'about what providers send; connections are stored on both in connections.test.ts of their feature',
  'features/connections/check.test.ts': 'about what providers do; checks are stored on both in connections.test.ts',
  'tracing/tracing.test.ts': 'about what is reported of requests, whatever the database',
  'db/pgbouncer.system.test.ts': 'about PostgreSQL behind a pooler',
  'main.long.test.ts': 'about the process',
  'logging/failure.test.ts': 'about the log',
  'http/app-router/api-description.test.ts': beforeSql,
  'http/public-api/api-description.test.ts': beforeSql,
  'http/limits/connections.long.test.ts': beforeSql,
  'http/graceful-shutdown.long.test.ts': 'about connections at a stop, whatever the database',
  'http/limits/json-body.test.ts': beforeSql,
  'http/protection/protection.test.ts': beforeSql,
  'http/limits/rate-limits.test.ts': beforeSql,
  'outbound/proxy.test.ts': 'about connections to other machines, whatever the database',
  'http/tests/refusals-in-log.test.ts': beforeSql,
  'http/tests/required-texts.test.ts': beforeSql,
  'http/tests/hanging-provider.long.test.ts': 'about waiting for the provider, while no query is under way',
};

const hasDatabase = /\b(?:start\w*App|emptyDatabase|readyDatabase|killableServer|spawnServer)\(/;
const goesThroughBoth = /\.each\(\s*(?:engines|filePlaces)\b|\bengines\.map\(/;
/** True for a test with a database on one engine only. */
const isOnOne = (text) =>
  hasDatabase.test(text) && !goesThroughBoth.test(text) && !(text.includes("'sqlite'") && text.includes("'postgres'"));

/** Starts PostgreSQL whatever the run, which only a run with PostgreSQL may do. */
const needsPostgres = /\b\w+\(\s*'postgres'|\binject\('postgresUrl'\)/;
const isOfLongRun = (path) => /\.(?:pg|long|system)\.test\.ts$/.test(path);
const isNamedWrongly = (path, text) => needsPostgres.test(text) && !isOfLongRun(path);
/** The PostgreSQL run selects tests by the engine in their titles. */
const withoutEngine = /\.each\(\s*(?:engines|filePlaces)\s*\)\(\s*(['"`])(?:(?!%s|\1).)*\1/;

const plantedNames = [
  ['features/x.test.ts', "const app = await startApp('postgres');"],
  ['features/x.test.ts', "const empty = await emptyDatabase(\n  'postgres');"],
  ['http/x.test.ts', "new URL(inject('postgresUrl'))"],
];
const harmlessNames = [
  ['features/x.pg.test.ts', "const app = await startApp('postgres');"],
  ['features/x.test.ts', "engine === 'postgres' ? await app.secondProcess() : undefined"],
];
const plantedTitles = ["describe.each(engines)('a call', () => {});", "test.each(engines)(\n  'a call ends',"];
const harmlessTitles = ["describe.each(engines)('a call on %s', () => {});", "test.each(engines)(\n  'on %s a call',"];

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
const found = new Set(
  tests.filter((path) => !path.endsWith('.pg.test.ts') && isOnOne(readFileSync(join(folder, path), 'utf8'))),
);
for (const path of found)
  if (!Object.hasOwn(onOne, path)) failures.push(`${path} runs on one engine only: go through both with describe.each`);
for (const path of Object.keys(onOne)) if (!found.has(path)) failures.push(`${path} is on the list and need not be`);
for (const [path, text] of plantedNames)
  if (!isNamedWrongly(path, text)) failures.push(`A planted violation was not found: ${text}`);
for (const [path, text] of harmlessNames)
  if (isNamedWrongly(path, text)) failures.push(`Found where nothing is wrong: ${text}`);
for (const text of plantedTitles)
  if (!withoutEngine.test(text)) failures.push(`A planted violation was not found: ${text}`);
for (const text of harmlessTitles) if (withoutEngine.test(text)) failures.push(`Found where nothing is wrong: ${text}`);
for (const path of tests) {
  const text = readFileSync(join(folder, path), 'utf8');
  if (isNamedWrongly(path, text)) failures.push(`${path} needs PostgreSQL: name it *.pg.test.ts`);
  if (!isOfLongRun(path) && withoutEngine.test(text))
    failures.push(`${path} has a title without its engine (%s): the run on PostgreSQL would not find it`);
}
if (tests.length < 100) failures.push(`Only ${tests.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(
  `${tests.length} files, ${planted.length + plantedNames.length + plantedTitles.length} planted violations, ${failures.length} failures`,
);
process.exit(failures.length === 0 ? 0 : 1);
