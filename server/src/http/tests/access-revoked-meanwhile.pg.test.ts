import { connect } from 'node:net';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Table, tables } from '#server/backup/dump-repository';
import type { Database } from '#server/db/schema';
import { engines, goodKey, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { gathered, rated, ratedThread } from '#server/testing/datasets';
import { cookieOf, form, formType, inStore, upload } from '#server/testing/files';
import { draft, trainingFile } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';
import { pair } from '#server/testing/training-files';
import { until } from '#server/testing/until';

const assistant = { name: 'Tutor', model: 'gpt-4o' };
const chosen = 'a much better sentence';
/** Tables that do not count as stored results: accounts, rate counts, the event log, model lists, and cleanup jobs. */
const besides: ReadonlySet<Table> = new Set<Table>([
  'sessions',
  'security_events',
  'jobs',
  'data_keys',
  'mailed_tokens',
  'rate_counts',
  'model_lists',
  'listed_models',
]);

/** Row counts of all tables, and the values that the calls below would change. */
const stored = (app: TestApp) =>
  withDatabase(app, async (db) => {
    const counts: Record<string, unknown> = {};
    for (const table of tables.filter((name) => !besides.has(name))) {
      const { n } = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      counts[table] = Number(n);
    }
    const names = await db.selectFrom('assistants').select('name').orderBy('id').execute();
    const hashes = await db.selectFrom('users').select('password_hash').orderBy('id').execute();
    return { counts, names, hashes };
  });

let people = 0;
/** One user in two browsers. */
async function somebody(app: TestApp, withKey = true) {
  const name = `person${++people}`;
  const email = `${name}@example.com`;
  const visitor = withKey ? await app.withKey(name) : await app.as(name);
  const elsewhere = app.visitor();
  await elsewhere.post('/api/login', { email, password });
  const { id }: { id: number } = (await visitor.get('/api/user')).body;
  return { id, email, visitor, elsewhere };
}
type Somebody = Awaited<ReturnType<typeof somebody>>;

const sessionOf = async (visitor: HttpClient): Promise<string> =>
  (await visitor.get('/api/user/sessions')).body.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id;

describe.each(engines)('request whose session ends meanwhile on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('first');
  });
  afterAll(() => app.stop());

  /** Sends the first half of a request; the returned function sends the rest. */
  async function halfSent(visitor: HttpClient, path: string, type: string, body: Buffer) {
    const { hostname, port, host } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      `cookie: ${cookieOf(visitor)}`,
      'sec-fetch-site: same-origin',
      `content-type: ${type}`,
      `content-length: ${body.length}`,
      'connection: close',
    ];
    const half = Math.floor(body.length / 2);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body.subarray(0, half));
    return async () => {
      socket.write(body.subarray(half));
      await closed;
      return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    };
  }

  const ends: [string, number, (who: Somebody) => Promise<unknown>][] = [
    [
      'revoked',
      401,
      async ({ visitor, elsewhere }) => elsewhere.delete(`/api/user/sessions/${await sessionOf(visitor)}`),
    ],
    [
      'ended by another password',
      401,
      ({ elsewhere }) => elsewhere.post('/api/user/password', { currentPassword: password, newPassword: chosen }),
    ],
    ['ended with the account made inactive', 401, ({ email }) => setUser(app, email, { status: 'Inactive' })],
    ['one of a Viewer', 403, ({ email }) => setUser(app, email, { role: 'Viewer' })],
  ];

  test.each(ends)('stores no file if the session is %s', async (_how, status, end) => {
    const who = await somebody(app);
    const body = form([
      { name: 'purpose', content: 'assistants' },
      { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'x'.repeat(50_000) },
    ]);
    const finish = await halfSent(who.visitor, '/api/files/upload', formType, body);
    const inProgress = () =>
      withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').where('user_id', '=', who.id).execute());
    await until('The reservation', async () => (await inProgress()).length === 1);
    const before = await withDatabase(app, (db) => db.selectFrom('files').select('id').execute());
    await end(who);
    expect(await finish()).toBe(status);
    expect(await withDatabase(app, (db) => db.selectFrom('files').select('id').execute())).toEqual(before);
    expect(await inProgress()).toEqual([]);
    await until('The removal of the bytes', async () => inStore(app).length === before.length);
  });

  test('rejects a late body after the session was revoked', async () => {
    const { visitor, elsewhere } = await somebody(app);
    const id = await sessionOf(visitor);
    const sentAt = performance.now();
    const body = Buffer.from(JSON.stringify(assistant));
    const finish = await halfSent(visitor, '/api/assistants', 'application/json', body);
    // A body that arrives within a second counts as immediate.
    await until('A second', async () => performance.now() - sentAt > 1_200);
    await elsewhere.delete(`/api/user/sessions/${id}`);
    expect(await finish()).toBe(401);
    expect((await stored(app)).names).toEqual([]);
  });
});

/**
 * On PostgreSQL another connection can lock the user, so that the request stops at the start of its committing
 * transaction, after its external calls, reads and hashes.
 */
describe('slow request on postgres', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('postgres');
    await app.as('first');
  });
  afterAll(() => app.stop());

  async function whileHeld(
    { id, visitor }: Somebody,
    call: (visitor: HttpClient) => Promise<{ status: number }>,
    end: (trx: Kysely<Database>) => Promise<unknown>,
  ) {
    return withDatabase(app, (db) =>
      db
        .transaction()
        .execute(async (trx) => {
          await sql`update users set status = status where id = ${id}`.execute(trx);
          const answer = call(visitor);
          await until('The wait of the call', async () => {
            const { rows } = await sql`select pid from pg_locks
              where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(trx);
            return rows.length > 0;
          });
          await end(trx);
          return { answer };
        })
        .then(({ answer }) => answer),
    );
  }

  type Call = (visitor: HttpClient) => Promise<{ status: number }>;
  const lines = (count: number, line: (number: number) => string) =>
    Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');
  const fileOf = (visitor: HttpClient, content: string) => trainingFile(app, visitor, { content });
  const withRated = (visitor: HttpClient) => ratedThread(app, visitor, [{ value: 'good' }]);

  /** Every request that calls another service, reads a file or hashes before it stores. */
  const calls: [string, 'user' | 'editor' | 'admin', (who: Somebody) => Promise<Call>][] = [
    ['an upload', 'editor', async () => (visitor) => upload(app, visitor)],
    ['a new assistant', 'editor', async () => (visitor) => visitor.post('/api/assistants', assistant)],
    [
      'a change of an assistant',
      'editor',
      async ({ visitor }) => {
        const { id } = (await visitor.post('/api/assistants', assistant)).body;
        return () => visitor.patch(`/api/assistants/${id}`, { name: 'Another', model: 'gpt-4o-mini' });
      },
    ],
    [
      'the list to import',
      'editor',
      async () => (visitor) => visitor.post('/api/assistants/fetch-from-openai', { apiKey: goodKey }),
    ],
    [
      'an import from the provider',
      'editor',
      async () => (visitor) =>
        visitor.post('/api/assistants/import-batch-from-openai', { assistantIds: ['asst_8fKq2ZrVn1LxWcTy5uHbGdEo'] }),
    ],
    [
      'an import from a file',
      'editor',
      async () => (visitor) => visitor.post('/api/assistants/import-file', { assistants: [assistant] }),
    ],
    ['a provider key', 'user', async () => (visitor) => visitor.post('/api/settings/apikey', { apiKey: goodKey })],
    [
      'an admin key',
      'user',
      async () => (visitor) =>
        visitor.post('/api/settings/admin-key', { adminKey: goodKey.replace('sk-', 'sk-admin-') }),
    ],
    [
      'another password',
      'user',
      async () => (visitor) => visitor.post('/api/user/password', { currentPassword: password, newPassword: chosen }),
    ],
    ['the end of the account', 'user', async () => (visitor) => visitor.delete('/api/user', { password })],
    [
      'a new account',
      'admin',
      async () => (visitor) =>
        visitor.post('/api/admin/users', {
          name: 'New',
          email: `new${++people}@example.com`,
          role: 'Editor',
          password,
        }),
    ],
    [
      'the end of another account',
      'admin',
      async () => {
        const other = await somebody(app, false);
        return (visitor) => visitor.delete(`/api/admin/users/${other.id}`);
      },
    ],
    [
      'a training job',
      'editor',
      async ({ visitor }) => {
        const { id } = await trainingFile(app, visitor);
        return () => visitor.post('/api/fine-tuning/jobs', draft(id));
      },
    ],
    ['an import of jobs', 'editor', async () => (visitor) => visitor.post('/api/fine-tuning/jobs/import')],
    [
      'a converted file',
      'editor',
      async ({ visitor }) => {
        const { id } = await fileOf(
          visitor,
          lines(3, (number) => pair(`Question ${number}`, ' Answer')),
        );
        return () => visitor.post('/api/fine-tuning/convert', { fileId: id });
      },
    ],
    [
      'a divided file',
      'editor',
      async ({ visitor }) => {
        const { id } = await trainingFile(app, visitor);
        return () => visitor.post('/api/fine-tuning/split', { fileId: id, validationShare: 0.1 });
      },
    ],
    [
      'a comparison with prompts of a file',
      'editor',
      async ({ visitor }) => {
        const { id: fileId } = await trainingFile(app, visitor);
        const body = { candidateModel: 'gpt-4o-mini', baselineModel: 'gpt-4o', instructions: '', prompts: { fileId } };
        return () => visitor.post('/api/comparisons', body);
      },
    ],
    [
      'a dataset',
      'editor',
      async ({ visitor }) => {
        await withRated(visitor);
        return () => visitor.post('/api/fine-tuning/datasets', { name: 'Examples' });
      },
    ],
    [
      'more examples of a dataset',
      'editor',
      async ({ visitor }) => {
        const { answers } = await withRated(visitor);
        const { id } = await gathered(visitor);
        await withRated(visitor);
        await rated(visitor, answers[0]?.id ?? 0, { value: 'bad' });
        return () => visitor.post(`/api/fine-tuning/datasets/${id}/gather`, {});
      },
    ],
    [
      'a file of a dataset',
      'editor',
      async ({ visitor }) => {
        await withRated(visitor);
        const { id } = await gathered(visitor);
        return () => visitor.post(`/api/fine-tuning/datasets/${id}/save`, { filename: 'x', validationShare: null });
      },
    ],
  ];
  const restricted = calls.filter(([, access]) => access !== 'user');

  async function prepared(access: 'user' | 'editor' | 'admin', prepare: (typeof calls)[number][2]) {
    const who = await somebody(app);
    if (access === 'admin') await setUser(app, who.email, { role: 'Admin' });
    return { who, call: await prepare(who) };
  }

  test.each(calls)('stores nothing if the session has ended: %s', async (_what, access, prepare) => {
    const { who, call } = await prepared(access, prepare);
    const before = await stored(app);
    const { status } = await whileHeld(who, call, (trx) =>
      trx.deleteFrom('sessions').where('user_id', '=', who.id).execute(),
    );
    expect(status).toBe(401);
    expect(await stored(app)).toEqual(before);
  });

  test.each(restricted)('stores nothing if the role was removed: %s', async (_what, access, prepare) => {
    const { who, call } = await prepared(access, prepare);
    const before = await stored(app);
    const { status } = await whileHeld(who, call, (trx) =>
      trx.updateTable('users').set({ role: 'Viewer' }).where('id', '=', who.id).execute(),
    );
    expect(status).toBe(403);
    expect(await stored(app)).toEqual(before);
  });
});
