import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from './schema.ts';
import { openSqlite, sqliteDialect } from './sqlite.ts';

test('a transaction that reads before it writes does not lose to a writer beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-sqlite-'));
  const file = join(folder, 'roster.db');
  const beside = openSqlite(file);
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqlite(file)) });
  onTestFinished(async () => {
    await db.destroy();
    beside.close();
    rmSync(folder, { recursive: true });
  });
  beside.exec('create table settings (name text primary key, value text not null); pragma busy_timeout = 0');
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
  // The other one waits for its turn; without patience, as here, it is told so.
  expect(refusal).toMatchObject({ message: expect.stringContaining('locked') });
  beside.exec("insert into settings values ('beside', 'it')");
  expect(await db.selectFrom('settings').select('name').orderBy('name').execute()).toEqual([
    { name: 'beside' },
    { name: 'within' },
  ]);
});
