import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { newThread, sendMessage, until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import { freePort } from '#server/testing/free-port';
import type { HttpClient } from '#server/testing/http-client';
import { managedUser, securityLogOf } from '#server/testing/managed-users';
import { sources } from '#server/testing/programs';
import { roster } from '#server/testing/roster';
import { addApp, firstStep } from '#server/testing/second-factor';

describe.each(engines)('operator commands next to the running server on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let variables: Record<string, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    variables = {
      DATA_DIR: app.dataDir,
      PUBLIC_URL: 'https://roster.example.com',
      ...(app.databaseUrl && { DATABASE_URL: app.databaseUrl }),
    };
  });
  afterAll(() => app.stop());

  test('makes an account an administrator by admin grant, from its next request on', async () => {
    const bob = await app.as('bob');
    expect((await bob.get('/api/admin/users')).status).toBe(403);
    const { code, out, errors } = await roster(['admin', 'grant', ' Bob@Example.com '], variables);
    expect([code, errors]).toEqual([0, '']);
    expect(out).toBe('bob@example.com is an administrator now (was Editor).\n');
    expect((await bob.get('/api/admin/users')).status).toBe(200);
    expect((await securityLogOf(ada, 'bob@example.com'))[0]).toBe('role_changed, operator, Editor to Admin');
    const again = await roster(['admin', 'grant', 'bob@example.com'], variables);
    expect([again.code, again.out]).toEqual([0, 'bob@example.com is an administrator already. Nothing was changed.\n']);
    const record = await securityLogOf(ada, 'bob@example.com');
    expect(record.filter((event) => event.startsWith('role_changed'))).toHaveLength(1);
  });

  test('lists by models which models in use retire, and how much uses each', async () => {
    const catalogue = join(app.dataDir, 'catalogue.json');
    const entry = { price: null, temperature: 'yes', efforts: [], contextTokens: 8_000 };
    const file = {
      ...{ asOf: '2020-01-01', source: 'a test', unit: 'USD per 1,000,000 tokens' },
      models: [{ match: 'house-model', ...entry, shutdownDate: '2020-02-01', successor: 'house-model-2' }],
    };
    writeFileSync(catalogue, JSON.stringify(file));
    const none = await roster(['models'], { ...variables, MODEL_CATALOGUE: catalogue });
    expect([none.code, none.out]).toEqual([0, 'No model in use here has been retired or will be within 90 days.\n']);
    const frank = await app.as('frank');
    for (const name of ['One', 'Two']) await createAssistant(frank, { name, model: 'house-model' });
    const { code, out, errors } = await roster(['models'], { ...variables, MODEL_CATALOGUE: catalogue });
    expect([code, errors]).toEqual([0, '']);
    expect(out).toBe(
      [
        'Model        Retires               Assistants  People  Calls in 30 days  Successor',
        'house-model  2020-02-01 (retired)           2       1                 0  house-model-2',
        '',
      ].join('\n'),
    );
  });

  test('closes streams opened with the old role after a grant', async () => {
    const carol = await app.withKey('carol');
    const { run } = await sendMessage(carol, await newThread(carol), '[[hang]]');
    const stream = await openEvents(app, carol, run.id);
    expect((await roster(['admin', 'grant', 'carol@example.com'], variables)).code).toBe(0);
    await until('The end of the stream', async () => stream.hasEnded);
    await carol.post(`/api/runs/${run.id}/stop`);
  });

  test('prints by user reset-link a link that works once, even for a locked account', async () => {
    await app.as('dave');
    const { id } = await managedUser(ada, 'dave@example.com');
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ failed_sign_ins: 100 }).where('id', '=', id).execute(),
    );
    const { code, out, errors } = await roster(['user', 'reset-link', 'dave@example.com'], variables);
    expect([code, errors]).toEqual([0, '']);
    const [, link = ''] = out.match(/(https:\S+)/) ?? [];
    const { origin, pathname, searchParams } = new URL(link);
    expect([origin, pathname]).toEqual(['https://roster.example.com', '/reset-password']);
    expect(searchParams.get('userId')).toBe(String(id));
    const token = searchParams.get('token') ?? '';
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await securityLogOf(ada, 'dave@example.com'))[0]).toMatch(/^reset_link_made, operator/);
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('mailed_tokens').selectAll().where('user_id', '=', id).execute(),
    );
    expect(rows).toMatchObject([{ purpose: 'password', proves_email: null, used_at: null }]);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('prints by user login-link a link that signs in once', async () => {
    await app.as('gina');
    const { code, out, errors } = await roster(['user', 'login-link', 'gina@example.com'], variables);
    expect([code, errors]).toEqual([0, '']);
    const { pathname, searchParams } = new URL(/(https:\S+)/.exec(out)?.[1] ?? '');
    expect(pathname).toBe('/login-link');
    const body = { userId: Number(searchParams.get('userId')), token: searchParams.get('token') };
    const statuses = [1, 2].map(async () => (await app.visitor().post('/api/login-link', body)).status);
    expect((await Promise.all(statuses)).toSorted()).toEqual([200, 400]);
    const off = { ...variables, PASSWORD_LOGIN: 'off', GITHUB_CLIENT_ID: 'roster', GITHUB_CLIENT_SECRET: 'secret' };
    const refused = await roster(['user', 'reset-link', 'gina@example.com'], off);
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('Use instead: user login-link EMAIL')]);
  });

  test('removes by user reset-second-factor the factors of an account and signs it out', async () => {
    const frida = await app.as('frida');
    await addApp(frida);
    const reset = () => roster(['user', 'reset-second-factor', 'frida@example.com'], variables);
    const { code, out } = await reset();
    expect([code, out]).toEqual([0, expect.stringContaining('signed out on all devices')]);
    expect((await frida.get('/api/user')).status).toBe(401);
    expect((await firstStep(app.visitor(), 'frida@example.com')).status).toBe(200);
    expect((await securityLogOf(ada, 'frida@example.com'))[1]).toBe('second_factor_reset, operator');
    expect((await reset()).out).toContain('Nothing was changed');
  });

  test.each([['admin grant'], ['user reset-link'], ['user reset-second-factor']])(
    '%s refuses an inactive account and changes nothing',
    async (name) => {
      await app.as('erin');
      await setUser(app, 'erin@example.com', { status: 'Inactive' });
      const { code, out, errors } = await roster([...name.split(' '), 'erin@example.com'], variables);
      expect([code, out]).toEqual([1, '']);
      expect(errors).toMatch(/^The account erin@example\.com is inactive\..*\n$/);
      expect(await managedUser(ada, 'erin@example.com')).toMatchObject({ role: 'Editor', status: 'Inactive' });
    },
  );

  test.each([
    [['admin', 'grant', 'nobody@example.com'], 'There is no account with the address nobody@example.com.\n'],
    [['user', 'reset-link', 'nobody'], '“nobody” is not an email address.\n'],
    [['admin', 'revoke', 'ada@example.com'], 'There is no command “admin revoke”.'],
    [['admin'], 'There is no command “admin”.'],
    [['keys', 'rotate', 'now'], '“keys rotate” takes nothing more.'],
    [['backup'], '“backup” takes the name of one new file.'],
    [['admin', 'grant'], '“admin grant” takes one email address.'],
    [['user', 'reset-link', 'ada@example.com', 'more'], '“user reset-link” takes one email address.'],
  ])('says for %j what is wrong and exits with 1', async (words, sentence) => {
    const { code, out, errors } = await roster(words, variables);
    expect([code, out]).toEqual([1, '']);
    expect(errors.startsWith(sentence)).toBe(true);
    expect(errors).not.toMatch(/\bat .*\.ts/);
  });

  test('neither needs nor creates the master key', async () => {
    const key = join(app.dataDir, 'master.key');
    renameSync(key, `${key}.away`);
    onTestFinished(() => renameSync(`${key}.away`, key));
    const before = readdirSync(app.dataDir);
    expect((await roster(['user', 'reset-link', 'ada@example.com'], variables)).code).toBe(0);
    expect(readdirSync(app.dataDir)).toEqual(before);
  });

  test('refuses another version of the schema before writing anything', async () => {
    const restore = await withDatabase(app, async (db) => {
      const last = await db
        .selectFrom('schema_migrations')
        .selectAll()
        .orderBy('name', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      await db.deleteFrom('schema_migrations').where('name', '=', last.name).execute();
      return last;
    });
    const older = await roster(['admin', 'grant', 'ada@example.com'], variables);
    expect([older.code, older.errors]).toEqual([1, expect.stringContaining('older than this Roster')]);
    const newer = { name: '9999-future', checksum: 'x', applied_at: restore.applied_at };
    await withDatabase(app, (db) => db.insertInto('schema_migrations').values([restore, newer]).execute());
    const refused = await roster(['admin', 'grant', 'ada@example.com'], variables);
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('newer than this Roster')]);
    await withDatabase(app, (db) => db.deleteFrom('schema_migrations').where('name', '=', newer.name).execute());
    expect((await roster(['admin', 'grant', 'ada@example.com'], variables)).code).toBe(0);
  });

  test('does not disturb the server', async () => {
    const grants = Promise.all(
      ['frank', 'gina', 'henry'].map(async (name) => {
        await app.as(name);
        return roster(['admin', 'grant', `${name}@example.com`], variables);
      }),
    );
    const { id } = await managedUser(ada, 'ada@example.com');
    for (let round = 0; round < 20; round++)
      expect((await ada.patch(`/api/admin/users/${id}`, { name: `Ada ${round}` })).status).toBe(200);
    expect((await grants).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await app.visitor().post('/api/login', { email: 'gina@example.com', password })).body.role).toBe('Admin');
  });
});

test.each(engines)('migrates a database on %s once', async (engine) => {
  const { dataDir, url, remove } = await emptyDatabase(engine);
  onTestFinished(remove);
  const variables = { DATA_DIR: dataDir, ...(url && { DATABASE_URL: url }) };
  const { code, out, errors } = await roster(['migrate'], variables);
  expect([code, errors]).toEqual([0, '']);
  expect(out).toMatch(/^The database was migrated: 0001-init, .*\.\n$/);
  expect((await roster(['migrate'], variables)).out).toBe('The database is up to date.\n');
});

test('leaves the database of a running SQLite server to it', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const { code, errors } = await roster(['migrate'], { DATA_DIR: app.dataDir });
  expect([code, errors]).toEqual([1, expect.stringContaining('Another Roster is using')]);
});

test('lists the commands without arguments, wherever it is called', async () => {
  for (const words of [[], ['help'], ['--help']]) {
    const { code, out } = await roster(words, {}, sources);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /admin grant EMAIL[\s\S]*user reset-link EMAIL[\s\S]*backup[\s\S]*restore[\s\S]*keys rotate[\s\S]*migrate-to/,
      ),
    ]);
  }
});

test('prints the package’s version, without a configuration', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const { code, out, errors } = await roster(['--version'], { PORT: 'none' }, sources);
  expect([code, out, errors]).toEqual([0, `${version}\n`, '']);
});

test('says in a sentence with every command that the database is unavailable or missing', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  onTestFinished(remove);
  writeFileSync(join(dataDir, 'roster.db'), 'no database');
  writeFileSync(join(dataDir, 'master.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const nobody = { DATABASE_URL: `postgres://roster@127.0.0.1:${await freePort()}/roster` };
  const commands = ['admin grant ada@example.com', 'models', 'keys rotate', 'migrate', `backup ${dataDir}/b.tar`];
  for (const command of commands)
    for (const place of [{ DATA_DIR: dataDir }, { DATA_DIR: dataDir, ...nobody }]) {
      const { code, out, errors } = await roster(command.split(' '), place);
      expect([command, code, out, errors]).toEqual([
        command,
        1,
        '',
        expect.stringMatching(/^(The database|\S+roster\.db) .*cannot be used: .*\.\n$/),
      ]);
    }
});

test('refuses a folder without a database and leaves it as it is', async () => {
  const { dataDir, remove } = await emptyDatabase('sqlite');
  onTestFinished(remove);
  const { code, errors } = await roster(['admin', 'grant', 'ada@example.com'], { DATA_DIR: dataDir });
  expect([code, errors]).toEqual([1, expect.stringContaining('No Roster database was found in')]);
  expect(readdirSync(dataDir)).toEqual([]);
});
