import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { tables } from './tables-repository.ts';

test('every table is copied, and after those that it refers to', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const database = new DatabaseSync(join(app.dataDir, 'roster.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const named = database.prepare("select name from sqlite_master where type = 'table'").all();
  const all = named
    .map(({ name }) => String(name))
    .filter((name) => !/^(sqlite_|schema_migrations$|\w+_search)/.test(name));
  expect(tables.toSorted()).toEqual(all.toSorted());
  let references = 0;
  for (const [index, table] of tables.entries())
    for (const { table: referred } of database.prepare(`pragma foreign_key_list("${table}")`).all()) {
      references++;
      expect(tables.slice(0, index + 1)).toContain(referred);
    }
  expect(references).toBeGreaterThan(10);
});
