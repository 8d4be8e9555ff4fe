// Writes server/src/db/schema.generated.ts, the types of all columns, from a migrated database: `npm run schema`. With
// --check it fails if the file differs from what the migrations make.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installAndContinue } from './install.mjs';

installAndContinue();
const { openDatabase } = await import('../server/src/db/connect.ts');
const { migrate } = await import('../server/src/db/migrate.ts');
const { schemaText, tablesOf } = await import('../server/src/testing/schema.ts');

const folder = new URL('../server/src/db/', import.meta.url);
const file = new URL('schema.generated.ts', folder);
const notes = JSON.parse(readFileSync(new URL('schema-notes.json', folder), 'utf8'));

async function migratedTables() {
  const dataDir = mkdtempSync(join(tmpdir(), 'roster-schema-'));
  const database = openDatabase(undefined, dataDir, undefined, 'off');
  try {
    await migrate(database);
    return await tablesOf(database.db);
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const text = schemaText(await migratedTables(), notes);
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (text !== readFileSync(file, 'utf8')) {
  console.error('server/src/db/schema.generated.ts differs from what the migrations make: npm run schema writes it.');
  process.exitCode = 1;
}
