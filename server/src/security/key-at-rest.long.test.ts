import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('stored provider key on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  /** Every file below the data folder except the master key's. */
  const filesIn = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesIn(path) : name === 'master.key' ? [] : [path];
    });

  /** All stored text of all tables. */
  const everythingStored = () =>
    withDatabase(app, async (db) => {
      const tables = await db.introspection.getTables();
      const rows = [];
      for (const { name } of tables)
        rows.push(
          (await sql`select * from ${sql.table(name)}`.execute(db)).rows.map((row) => String(JSON.stringify(row))),
        );
      return JSON.stringify(rows);
    });

  test('is in no response, table, file or log line after it was saved and used', async () => {
    const ada = await app.as('ada');
    const saved = await ada.post('/api/settings/apikey', { apiKey: goodKey });
    const adminKey = goodKey.replace('sk-', 'sk-admin-');
    const adminSaved = await ada.post('/api/settings/admin-key', { adminKey });
    expect([saved.status, adminSaved.status]).toEqual([200, 200]);
    const figures = '/api/analytics/provider?from=2026-11-01&to=2026-11-02';
    const answers = [
      saved,
      adminSaved,
      await ada.get('/api/settings/admin-key'),
      await ada.get(figures),
      await withFault(app, { fail: 'invalid_api_key' }, { path: '/organization*' }, () =>
        ada.get(figures.replace('01', '02')),
      ),
      await ada.post('/api/settings/admin-key', { adminKey: `${adminKey}invalid` }),
      await ada.post('/api/settings/admin-key', { adminKey: `${adminKey} ü` }),
      await ada.get('/api/user/config'),
      await ada.get('/api/models'),
      await ada.post('/api/assistants/fetch-from-openai', {}),
      await withFault(app, { fail: 'invalid_api_key' }, {}, () => ada.post('/api/assistants/fetch-from-openai', {})),
      await withFault(app, { fail: 'server_error' }, { path: '/assistants' }, () =>
        ada.post('/api/assistants/fetch-from-openai', {}),
      ),
      await ada.post('/api/settings/apikey', { apiKey: `${goodKey}invalid` }),
      await ada.post('/api/settings/apikey', { apiKey: goodKey, extra: 1 }),
      await ada.post('/api/settings/apikey', { apiKey: ` ${goodKey} ü` }),
    ];
    const secret = goodKey.slice(3, 30);
    for (const { body, headers } of answers) expect(JSON.stringify([body, headers])).not.toContain(secret);
    expect(await everythingStored()).not.toContain(secret);
    expect(app.logLines.length).toBeGreaterThan(answers.length);
    expect(app.logLines.join('')).not.toContain(secret);
    const files = filesIn(app.dataDir);
    if (engine === 'sqlite') expect(files.some((file) => file.endsWith('roster.db'))).toBe(true);
    for (const file of files) expect(readFileSync(file).includes(secret), file).toBe(false);
  });

  test('is useless in another user’s row', async () => {
    const ada = await app.withKey('ada');
    const eve = await app.withKey('eve');
    const idOf = async (visitor: typeof ada) => (await visitor.get('/api/user')).body.id;
    const [adaId, eveId] = [await idOf(ada), await idOf(eve)];
    await withDatabase(app, async (db) => {
      const keys = await db
        .selectFrom('provider_keys')
        .selectAll()
        .where('user_id', '=', adaId)
        .executeTakeFirstOrThrow();
      const data = await db.selectFrom('data_keys').selectAll().where('user_id', '=', adaId).executeTakeFirstOrThrow();
      await db.updateTable('provider_keys').set({ sealed: keys.sealed }).where('user_id', '=', eveId).execute();
      await db.updateTable('data_keys').set({ wrapped: data.wrapped }).where('user_id', '=', eveId).execute();
    });
    const { status, body } = await eve.post('/api/assistants/fetch-from-openai', {});
    expect([status, body.code]).toEqual([409, 'key_unreadable']);
    expect(body.message).toBe('Your API key can no longer be read. Please enter it again in Settings.');
    expect((await eve.get('/api/models')).body).toMatchObject({ source: 'unknown', notice: body.message });
    expect((await ada.get('/api/models')).body.source).toBe('provider');
  });

  test('can be saved again over one that cannot be read', async () => {
    const dave = await app.withKey('dave');
    const { id } = (await dave.get('/api/user')).body;
    await withDatabase(app, (db) =>
      db.updateTable('data_keys').set({ wrapped: 'v1.lost.AAAAAAAAAAAAAAAA.AAAA' }).where('user_id', '=', id).execute(),
    );
    expect((await dave.post('/api/assistants/fetch-from-openai', {})).body.code).toBe('key_unreadable');
    expect((await dave.post('/api/settings/apikey', { apiKey: goodKey })).status).toBe(200);
    expect((await dave.post('/api/assistants/fetch-from-openai', {})).status).toBe(200);
  });
});

describe('wrong master key', () => {
  test.each(engines)('keeps the server on %s from starting before anything is written', async (engine) => {
    const app = await startApp(engine);
    const ada = await app.withKey('ada');
    const everything = () =>
      withDatabase(app, async (db) =>
        Promise.all([
          db.selectFrom('settings').selectAll().orderBy('name').execute(),
          db.selectFrom('data_keys').selectAll().orderBy('user_id').execute(),
          db.selectFrom('instances').selectAll().orderBy('id').execute(),
          db.selectFrom('sessions').selectAll().orderBy('id').execute(),
        ]),
      );
    expect((await ada.get('/api/models')).body.source).toBe('provider');
    await app.halt();
    const before = await everything();
    const other = randomBytes(32).toString('base64');
    const refused = () =>
      expect(app.startWith({ MASTER_KEY: other })).rejects.toThrow(
        'The master key is not the one that this database was created with',
      );
    await refused();
    expect(await everything()).toEqual(before);
    // Not even a pending migration runs.
    const steps = await withDatabase(app, (db) =>
      db.selectFrom('schema_migrations').selectAll().orderBy('name').execute(),
    );
    const last = steps.at(-1);
    if (!last) throw new Error('the schema has no steps');
    await withDatabase(app, (db) => db.deleteFrom('schema_migrations').where('name', '=', last.name).execute());
    await refused();
    await withDatabase(app, (db) => db.insertInto('schema_migrations').values(last).execute());
    const right = readFileSync(join(app.dataDir, 'master.key'), 'utf8').trim();
    await app.startWith({ MASTER_KEY: `${other},${right}` });
    expect((await ada.post('/api/assistants/fetch-from-openai', {})).status).toBe(200);
    await app.stop();
  });
});

describe('data keys that cannot be decrypted at startup', () => {
  const dataKeys = (app: TestApp) =>
    withDatabase(app, (db) => db.selectFrom('data_keys').selectAll().orderBy('user_id').execute());
  const checks = (app: TestApp) =>
    withDatabase(app, (db) => db.selectFrom('settings').selectAll().where('name', 'like', 'key_check%').execute());
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  const opens = async (visitor: HttpClient) => (await visitor.get('/api/models')).body.source === 'provider';
  const wordOf = (app: TestApp) =>
    app.logLines.find((line) => line.includes('cannot be decrypted with the configured'));

  test.each(engines)(
    'on %s: reports a damaged one, leaves it, and keeps nobody else from signing in',
    async (engine) => {
      const app = await startApp(engine);
      const [ada, bob] = [await app.withKey('ada'), await app.withKey('bob')];
      const bobId = await idOf(bob);
      await app.halt();
      await withDatabase(app, (db) =>
        db.updateTable('data_keys').set({ wrapped: 'v1.damaged' }).where('user_id', '=', bobId).execute(),
      );
      const before = await dataKeys(app);
      await app.startWith({});
      expect(await opens(ada)).toBe(true);
      expect((await bob.post('/api/assistants/fetch-from-openai', {})).body.code).toBe('key_unreadable');
      expect(JSON.parse(wordOf(app) ?? '{}')).toMatchObject({ userIds: [bobId] });
      expect(await dataKeys(app)).toEqual(before);
      await app.stop();
    },
  );

  test.each(engines)(
    'on %s: changes nothing in a process that has only the old key during a rotation',
    async (engine) => {
      const app = await startApp(engine);
      const ada = await app.withKey('ada');
      const adaId = await idOf(ada);
      await app.halt();
      const old = readFileSync(join(app.dataDir, 'master.key'), 'utf8').trim();
      const next = randomBytes(32).toString('base64');
      await app.startWith({ MASTER_KEY: `${next},${old}` });
      expect(await opens(ada)).toBe(true);
      await app.halt();
      const before = [await dataKeys(app), await checks(app)];
      await app.startWith({ MASTER_KEY: old });
      expect(await opens(ada)).toBe(false);
      expect(JSON.parse(wordOf(app) ?? '{}')).toMatchObject({ userIds: [adaId] });
      expect([await dataKeys(app), await checks(app)]).toEqual(before);
      await app.halt();
      await app.startWith({ MASTER_KEY: next });
      expect(await opens(ada)).toBe(true);
      await app.stop();
    },
  );
});
