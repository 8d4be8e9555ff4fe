import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { onFileDeleted, tables } from './dump-repository.ts';

test('copies every table after those it refers to, and knows what a deleted file leaves', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const database = new DatabaseSync(join(app.dataDir, 'roster.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const named = database.prepare("select name from sqlite_master where type = 'table'").all();
  const all = named
    .map(({ name }) => String(name))
    .filter((name) => !/^(sqlite_|schema_migrations$|\w+_search)/.test(name));
  expect(tables.toSorted()).toEqual(all.toSorted());
  const declared = Object.entries(onFileDeleted).flatMap(([table, its]) =>
    its.map(({ column, goes }) => `${table}.${column} ${goes ? 'CASCADE' : 'SET NULL'}`),
  );
  const ofFiles: string[] = [];
  let references = 0;
  for (const [index, table] of tables.entries())
    for (const { table: referred, from, on_delete: onDelete } of database
      .prepare(`pragma foreign_key_list("${table}")`)
      .all()) {
      references++;
      if (referred === 'files') ofFiles.push(`${table}.${from} ${onDelete}`);
      expect(tables.slice(0, index + 1)).toContain(referred);
    }
  expect(references).toBeGreaterThan(10);
  expect(ofFiles.toSorted()).toEqual(declared.toSorted());
});
