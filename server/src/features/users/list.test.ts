import { userSorts } from '@roster/contracts/users';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { engines, readyDatabase, startApp, type TestApp } from '#server/testing/app';
import { cursorOf } from '#server/testing/cursor';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { plansOf } from '#server/testing/query-plans';
import { userListRepository } from './list-repository.ts';

type Listed = {
  id: number;
  email: string;
  name: string | null;
  role: string;
  status: string;
  lastActive: string | null;
};

const orders = ['asc', 'desc'] as const;
const cases = userSorts.flatMap((sort) => orders.map((order) => [sort, order] as const));

const names = [null, 'ada', 'Ada', 'Adam', 'bob', 'Ödön', 'ödön', 'Zoë', 'zoe', '100%', 'a_b', 'a*b', '[x]', '😀', ''];
/** Many equal values, to test the order among them. */
const account = (number: number) => ({
  email: `${['zed', 'Abe', 'mia'][number % 3]?.toLowerCase()}-${number}@example.org`,
  name: names[number % names.length] ?? null,
  role: (['Admin', 'Editor', 'Viewer'] as const)[number % 3] ?? 'Viewer',
  status: number % 4 === 0 ? ('Inactive' as const) : ('Active' as const),
  password_hash: null,
  email_verified_at: null,
  last_active_at: number % 5 < 2 ? null : new Date(Date.UTC(2026, 0, 1 + (number % 6))).toISOString(),
  created_at: new Date().toISOString(),
});

const comparedBy: Record<(typeof userSorts)[number], (user: Listed) => string> = {
  name: ({ name }) => (name ?? '').replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  email: ({ email }) => email,
  role: ({ role }) => role,
  status: ({ status }) => status,
  lastActive: ({ lastActive }) => lastActive ?? '',
};

describe.each(engines)('the list of accounts on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    await withDatabase(app, (db) =>
      db
        .insertInto('users')
        .values(Array.from({ length: 60 }, (_, number) => account(number)))
        .execute(),
    );
  });
  afterAll(() => app.stop());

  async function pages(query: string, limit: number): Promise<Listed[]> {
    const all: Listed[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await ada.get(`/api/admin/users?${query}&limit=${limit}${next}`);
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(limit);
      all.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== null);
    return all;
  }
  const found = async (q: string) =>
    (await pages(`q=${encodeURIComponent(q)}`, 100)).map(({ name, email }) => name ?? email);

  test.each(cases)('sorts by %s %s, page by page, each account once', async (sort, order) => {
    const whole = await pages(`sort=${sort}&order=${order}`, 100);
    expect(whole).toHaveLength(61);
    const expected = whole.toSorted(
      (a, b) => Buffer.compare(Buffer.from(comparedBy[sort](a)), Buffer.from(comparedBy[sort](b))) || a.id - b.id,
    );
    expect(whole.map(({ id }) => id)).toEqual((order === 'asc' ? expected : expected.toReversed()).map(({ id }) => id));
    for (const limit of [1, 7, 60, 61]) expect(await pages(`sort=${sort}&order=${order}`, limit)).toEqual(whole);
  });

  test('sorts by name by default, 25 at a time', async () => {
    const { body } = await ada.get('/api/admin/users');
    expect(body.items).toHaveLength(25);
    expect(body.items).toEqual((await pages('sort=name&order=asc', 100)).slice(0, 25));
  });

  test('contains what administrators may know, and nothing else', async () => {
    const { body } = await ada.get('/api/admin/users?q=ada@example.com');
    expect(body.items).toEqual([
      {
        id: expect.any(Number),
        secondFactor: false,
        accessTokens: 0,
        email: 'ada@example.com',
        name: null,
        role: 'Admin',
        status: 'Active',
        lastActive: expect.any(String),
        hasPassword: true,
        emailVerified: false,
        createdAt: expect.any(String),
      },
    ]);
  });

  test.each(cases)('continues by %s %s at its position despite changes in between', async (sort, order) => {
    const query = `sort=${sort}&order=${order}&q=example.org`;
    const whole = await pages(query, 100);
    const { body: first } = await ada.get(`/api/admin/users?${query}&limit=10`);
    const deleted = whole[9];
    if (!deleted) throw new Error('The first page is short');
    const row = await withDatabase(app, (db) =>
      db.deleteFrom('users').where('id', '=', deleted.id).returningAll().executeTakeFirstOrThrow(),
    );
    const { body: second } = await ada.get(`/api/admin/users?${query}&limit=10&cursor=${first.nextCursor}`);
    expect(second.items).toEqual(whole.slice(10, 20));
    const { id: _, ...kept } = row;
    await withDatabase(app, (db) => db.insertInto('users').values(kept).execute());
  });

  test.each([
    ['ADA', ['ada', 'Ada', 'Adam']],
    ['öd', ['Ödön', 'ödön']],
    ['ÖDÖN', ['Ödön', 'ödön']],
    ['zo', ['Zoë', 'zoe']],
    ['  Adam ', ['Adam']],
    ['%', ['100%']],
    ['_', ['a_b']],
    ['*', ['a*b']],
    ['a?b', []],
    ['[', ['[x]']],
    ['[x]', ['[x]']],
    ['x]', ['[x]']],
    ['.*', []],
    ['\\', []],
    ['^a', []],
    ['$', []],
    ['(?i)ada', []],
    ['***=ada', []],
    ['😀', ['😀']],
    ['no such', []],
    ["'; drop table users", []],
  ])('finds %j literally in names and addresses', async (q, expected) => {
    expect([...new Set(await found(q))].toSorted()).toEqual(
      ['ADA', 'ada'].includes(q) ? [...expected, 'ada@example.com'].toSorted() : expected.toSorted(),
    );
  });

  test('finds addresses in any case, and pages through the results', async () => {
    const whole = await pages('q=MIA-&sort=email', 100);
    expect(whole).toHaveLength(20);
    expect(whole.every(({ email }) => email.startsWith('mia-'))).toBe(true);
    expect(await pages('q=MIA-&sort=email', 3)).toEqual(whole);
    expect((await ada.get('/api/admin/users?q=%20')).body.items).toHaveLength(25);
  });

  test.each([
    ['nothing', ''],
    ['no base64', '!!'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['no list', cursorOf({})],
    ['an id alone', cursorOf(7)],
    ['an id that is text', cursorOf(['name', 'asc', 'a', '7'])],
    ['an id that is too large', cursorOf(['name', 'asc', 'a', 2 ** 31])],
    ['a value that is no text', cursorOf(['name', 'asc', 7, 7])],
    ['a value that cannot be stored', cursorOf(['name', 'asc', '\0', 7])],
    ['another order', cursorOf(['name', 'desc', 'a', 7])],
    ['another column', cursorOf(['email', 'asc', 'a', 7])],
    ['an unknown column', cursorOf(['password_hash', 'asc', 'a', 7])],
  ])('rejects a cursor that is %s', async (_what, wrong) => {
    const { status, body } = await ada.get(`/api/admin/users?sort=name&order=asc&cursor=${encodeURIComponent(wrong)}`);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
  });

  test.each(['sort=password', 'order=up', 'limit=0', 'limit=101', `q=${'x'.repeat(201)}`])(
    'rejects %s',
    async (query) => {
      expect((await ada.get(`/api/admin/users?${query}`)).status).toBe(400);
    },
  );

  test('comes with a summary', async () => {
    const now = Date.now();
    const day = 24 * 60 * 60 * 1000;
    const { body: before } = await ada.get('/api/admin/users/summary');
    expect(before).toEqual({ total: 61, active: 46, administrators: 21, recent: 1 });
    await withDatabase(app, (db) =>
      db
        .insertInto('users')
        .values([
          { ...account(100), last_active_at: new Date(now - 6 * day).toISOString() },
          { ...account(101), last_active_at: new Date(now - 8 * day).toISOString() },
        ])
        .execute(),
    );
    expect((await ada.get('/api/admin/users/summary')).body).toMatchObject({ total: 63, recent: 2 });
  });
});

describe.each(engines)('10,000 accounts on %s', (engine) => {
  test('uses an index in each order and on each page', async () => {
    const { dataDir, url, remove } = await readyDatabase(engine);
    const database = openDatabase(url, dataDir);
    for (let start = 0; start < 10_000; start += 1_000)
      await database.db
        .insertInto('users')
        .values(Array.from({ length: 1_000 }, (_, number) => account(start + number)))
        .execute();
    await sql`analyze`.execute(database.db);
    const after = { value: 'M', id: 5_000 };
    const plans = await plansOf(
      database.db,
      async (db) => {
        const list = userListRepository(db);
        for (const [sort, order] of cases) {
          await list.page({ words: '', sort, order, limit: 25, after: undefined });
          await list.page({ words: '', sort, order, limit: 25, after });
        }
      },
      engine,
    );
    expect(plans).toHaveLength(2 * cases.length);
    for (const [index, plan] of plans.entries()) {
      expect(plan).toMatch(/(INDEX|Index Scan (Backward )?using) (users_by_|sqlite_autoindex_users_)/);
      expect(plan).not.toMatch(/TEMP B-TREE|Sort/);
      // A later page starts in the middle of the index.
      if (index % 2 === 1) expect(plan).toMatch(/SEARCH|Index Cond/);
    }
    await database.close();
    await remove();
  });
});
