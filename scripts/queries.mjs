// Requires queries to stand in files named repository, in db/ or in tests, so that what the database is asked is found in
// one kind of file. Import rules cannot tell: a query needs no import, only a database. Verified on planted violations
// before each run.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './install.mjs';

const query = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(|\bsql(?:<[^`]*>)?`/;
const isPlace = (path) => /repository\.ts$|^(?:db|testing)\/|\.test\.ts$/.test(path);
const violates = (path, text) => !isPlace(path) && query.test(text);

const folder = join(root, 'server/src');
const files = readdirSync(folder, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

const planted = [
  ['features/chat/service.ts', "await db.selectFrom('users').select('id').execute();"],
  ['features/chat/service.ts', "await trx\n  .updateTable('users')\n  .set({ name })\n  .execute();"],
  ['jobs/queue.ts', 'await sql`select 1`.execute(db);'],
  ['jobs/queue.ts', 'const condition = sql<boolean>`name is null`;'],
];
const harmless = [
  ['features/chat/thread-repository.ts', "await db.selectFrom('users').execute();"],
  ['features/chat/chat.test.ts', 'await sql`select 1`.execute(db);'],
  ['features/chat/service.ts', 'await threads.find(userId, id);'],
];

const failures = [];
for (const [path, text] of planted)
  if (!violates(path, text)) failures.push(`A planted violation was not found: ${text}`);
for (const [path, text] of harmless) if (violates(path, text)) failures.push(`Found where nothing is wrong: ${text}`);
for (const path of files.filter((file) => violates(file, readFileSync(join(folder, file), 'utf8'))))
  failures.push(`server/src/${path} has a query: move it to a file named repository`);
if (files.length < 500) failures.push(`Only ${files.length} files were looked at`);
for (const failure of failures) console.error(failure);
console.log(`${files.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
