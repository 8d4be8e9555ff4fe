import { expect, onTestFinished, test } from 'vitest';
import { readyDatabase } from '#server/testing/app';
import { tablesOf } from '#server/testing/schema';
import { openDatabase } from './connect.ts';

async function tablesOn(engine: 'sqlite' | 'postgres') {
  const ready = await readyDatabase(engine);
  const database = openDatabase(ready.url, ready.dataDir);
  onTestFinished(async () => {
    await database.close();
    await ready.remove();
  });
  const tables = await tablesOf(database.db);
  // The order of columns may differ where SQLite had to copy a table.
  return tables.map(({ name, columns }) => ({
    name,
    columns: columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  }));
}

test('has the same columns, types, nulls and defaults on both engines', async () => {
  const onPostgres = await tablesOn('postgres');
  expect(onPostgres).toEqual(await tablesOn('sqlite'));
  expect(onPostgres.length).toBeGreaterThan(90);
});
