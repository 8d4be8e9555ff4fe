import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, readyDatabase } from '#server/testing/app';
import { openDatabase } from './connect.ts';
import { type Params, prepared } from './prepared-query.ts';

const put = prepared((db, at: Params<{ name: string; value: string }>) =>
  db
    .insertInto('settings')
    .values({ name: at('name'), value: at('value') })
    .onConflict((conflict) => conflict.doNothing()),
);
const find = prepared((db, at: Params<{ name: string }>) =>
  db.selectFrom('settings').selectAll().where('name', '=', at('name')),
);
const count = prepared(
  (_db, at: Params<{ name: string }>) =>
    sql<{ count: number }>`select count(*) as count from settings where name = ${at('name')}`,
);

describe.each(engines)('prepared query on %s', (engine) => {
  test('uses the values of each call, inside and outside a transaction', async () => {
    const empty = await readyDatabase(engine);
    const database = openDatabase(empty.url, empty.dataDir);
    onTestFinished(async () => {
      await database.close();
      await empty.remove();
    });
    const { db } = database;
    expect(await put.changed(db, { name: 'one', value: "it's" })).toBe(1);
    expect(await put.changed(db, { name: 'one', value: 'again' })).toBe(0);
    await db.transaction().execute(async (trx) => {
      await put.changed(trx, { name: 'two', value: 'within' });
      expect(await find.first(trx, { name: 'two' })).toMatchObject({ value: 'within' });
    });
    const undone = db.transaction().execute(async (trx) => {
      await put.changed(trx, { name: 'three', value: 'undone' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await find.all(db, { name: 'one' })).toMatchObject([{ name: 'one', value: "it's" }]);
    expect(await find.first(db, { name: 'three' })).toBeUndefined();
    expect(await count.first(db, { name: 'two' })).toEqual({ count: 1 });
  });
});
