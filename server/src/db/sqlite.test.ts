import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from './schema.ts';
import { openSqlite, sqliteDialect } from './sqlite.ts';

/** A database with one table, and a second connection that sees committed data only. */
function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'roster-sqlite-'));
  const file = join(folder, 'roster.db');
  const beside = openSqlite(file);
  beside.exec('create table settings (name text primary key, value text not null); pragma busy_timeout = 0');
  const database = openSqlite(file);
  const db = new Kysely<Database>({ dialect: sqliteDialect(database) });
  onTestFinished(async () => {
    await db.destroy();
    beside.close();
    rmSync(folder, { recursive: true });
  });
  const names = () =>
    beside
      .prepare('select name from settings order by name')
      .all()
      .map(({ name }) => name);
  const put = (name: string, value = 'it') => db.transaction().execute(insert(name, value));
  const insert =
    (name: string, value = 'it') =>
    async (trx: Kysely<Database>) =>
      void (await trx.insertInto('settings').values({ name, value }).execute());
  return { db, database, beside, names, put, insert };
}

test('lets a transaction read before it writes, next to another writer', async () => {
  const { db, beside, names } = opened();
  let refusal: unknown;
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('settings').selectAll().execute();
    try {
      beside.exec("insert into settings values ('beside', 'it')");
    } catch (error) {
      refusal = error;
    }
    await trx.insertInto('settings').values({ name: 'within', value: 'it' }).execute();
  });
  // The other one waits for its turn; without patience, as here, it fails.
  expect(refusal).toMatchObject({ message: expect.stringContaining('locked') });
  beside.exec("insert into settings values ('beside', 'it')");
  expect(names()).toEqual(['beside', 'within']);
});

test('shares a commit among transactions of one turn, and rolls back each alone', async () => {
  const { db, names, put, insert } = opened();
  await put('before');
  const run = vi.spyOn(StatementSync.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  const seenWhenNotified: unknown[] = [];
  const putAndNote = (name: string) => put(name).then(() => seenWhenNotified.push(names()));
  const undone = db.transaction().execute(async (trx) => {
    await insert('undone')(trx);
    throw new Error('not this one');
  });
  const all = Promise.all([putAndNote('a'), expect(undone).rejects.toThrow('not this one'), putAndNote('b')]);
  // A query outside of the running transactions sees committed data.
  const read = db.selectFrom('settings').select('name').orderBy('name').execute();
  await all;
  const commits = run.mock.contexts.filter((of) => of instanceof StatementSync && of.sourceSQL === 'commit');
  expect(commits).toHaveLength(1);
  expect(seenWhenNotified).toEqual([
    ['a', 'b', 'before'],
    ['a', 'b', 'before'],
  ]);
  expect((await read).map(({ name }) => name)).toEqual(['a', 'b', 'before']);
});

test('rejects everything uncommitted when SQLite gives up, and then continues', async () => {
  const { database, names, put } = opened();
  database.exec('pragma max_page_count = 20');
  const results = await Promise.allSettled([put('small'), put('large', 'x'.repeat(1_000_000)), put('later')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(names()).toEqual(['later']);
  await put('next');
  expect(names()).toEqual(['later', 'next']);
});

test('accepts nothing in a transaction that SQLite has rolled back, even after an ignored error', async () => {
  const { db, database, names, put, insert } = opened();
  database.exec('pragma max_page_count = 20');
  const passedOver = db.transaction().execute(async (trx) => {
    await insert('large', 'x'.repeat(1_000_000))(trx).catch(() => undefined);
    await insert('by itself')(trx);
  });
  await expect(passedOver).rejects.toThrow('undone');
  await put('next');
  expect(names()).toEqual(['next']);
});

test('makes later transactions wait for one that waits for something else, and loses no commit', async () => {
  const { db, names, put, insert } = opened();
  const other = Promise.withResolvers<void>();
  const slow = db.transaction().execute(async (trx) => {
    await insert('slow')(trx);
    await other.promise;
  });
  const after = put('after');
  const plain = db.insertInto('settings').values({ name: 'plain', value: 'it' }).execute();
  await new Promise((resolve) => setImmediate(resolve));
  expect(names()).toEqual([]);
  other.resolve();
  await Promise.all([slow, after, plain]);
  expect(names()).toEqual(['after', 'plain', 'slow']);
});

test('reports a database locked by another process as unavailable, and a full one as full', async () => {
  const { database, put, names } = opened();
  database.exec('pragma busy_timeout = 0');
  const other = new DatabaseSync(database.location() ?? '');
  other.exec('begin immediate');
  await expect(put('early')).rejects.toMatchObject({ name: 'UnavailableError', part: 'database' });
  other.exec('rollback');
  other.close();
  database.exec('pragma max_page_count = 20');
  await expect(put('large', 'x'.repeat(1_000_000))).rejects.toMatchObject({
    name: 'DatabaseFullError',
    part: 'database',
  });
  await put('late');
  expect(names()).toEqual(['late']);
});

test('gives a reader a turn while transactions never cease', async () => {
  const { db, put } = opened();
  const enough = 5_000;
  let count = 0;
  let countWhenRead = enough;
  const putOn = async () => {
    while (countWhenRead === enough && count < enough) await put(`n${count++}`);
  };
  // More than share one commit, so that one always waits for the next.
  const writers = Array.from({ length: 200 }, putOn);
  await db.selectFrom('settings').selectAll().execute();
  countWhenRead = count;
  await Promise.all(writers);
  expect(countWhenRead).toBeLessThan(enough);
});
