import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Insertable } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { migrate } from '#server/db/migrate';
import type { Database } from '#server/db/schema';
import { emptyDatabase, engines } from '#server/testing/app';

/** The number of steps before this one. */
const before = readdirSync(join(import.meta.dirname, 'migrations'))
  .filter((name) => /^\d{4}-/.test(name))
  .sort()
  .indexOf('0076-connection-offers.ts');

describe.each(engines)('offered connections in an earlier database on %s', (engine) => {
  test('leave people’s connections as they are, and no id is used twice', async () => {
    const { url, dataDir, remove } = await emptyDatabase(engine);
    const database = openDatabase(url, dataDir);
    onTestFinished(async () => {
      await database.close();
      await remove();
    });
    const { db } = database;
    await migrate(database, undefined, before);
    const at = '2026-11-28T00:00:00.000Z';
    const ada = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(ada).returning('id').executeTakeFirstOrThrow();
    const row = (name: string): Insertable<Database['connections']> => ({
      ...{ user_id: userId, preset: 'other', name, name_key: name, base_url: 'https://example.com/v1', api: 'chat' },
      ...{ key_sealed: 'sealed', key_last4: '0001', first_token_seconds: 60, is_paused: 1, position: 3 },
      ...{ notice: 'Slow', checks: '[]', checked_at: at, created_at: at },
    });
    const insert = async (values: Insertable<Database['connections']>) =>
      (await db.insertInto('connections').values(values).returning('id').executeTakeFirstOrThrow()).id;
    const kept = await insert(row('home'));
    const removed = await insert(row('gone'));
    await db.deleteFrom('connections').where('id', '=', removed).execute();
    const stored = await db.selectFrom('connections').selectAll().execute();

    await migrate(database, undefined, before + 1);
    expect(await db.selectFrom('connections').selectAll().execute()).toEqual(stored);
    await migrate(database);
    expect(await db.selectFrom('connections').selectAll().execute()).toMatchObject(stored);
    const offered = await insert({ ...row('home'), user_id: null });
    expect(offered).toBeGreaterThan(removed);
    await expect(insert({ ...row('home'), user_id: null })).rejects.toThrow();
    await expect(insert(row('home'))).rejects.toThrow();
    await db.deleteFrom('users').where('id', '=', userId).execute();
    const left = await db.selectFrom('connections').select('id').execute();
    expect([left, kept === offered]).toEqual([[{ id: offered }], false]);
  });
});
