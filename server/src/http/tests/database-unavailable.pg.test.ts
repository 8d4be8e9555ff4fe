import { renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { password, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { download, upload, uploaded } from '#server/testing/files';
import { startNetworkLink } from '#server/testing/network-link';
import { ownTime } from '#server/testing/process-clock';
import { startS3 } from '#server/testing/s3';
import { bareRequest } from '#server/testing/test-environment';

/** Three seconds are promised; the rest allows for a busy machine. */
const reportedWithinMs = 4_000;

type Answer = { status: number; body: unknown; headers: Record<string, string | string[] | undefined> };

async function expectAway(call: () => Promise<Answer>, code: string) {
  const started = ownTime();
  const { status, body, headers } = await call();
  expect(ownTime() - started).toBeLessThan(reportedWithinMs);
  expect([status, headers['retry-after']]).toEqual([503, '5']);
  expect(body).toMatchObject({ code, message: expect.stringMatching(/is not responding .* try again/) });
}

const ready = (app: TestApp) => bareRequest(app, 'GET', '/readyz');
const comesBack = (what: string, call: () => Promise<{ status: number }>) =>
  until(what, async () => (await call()).status < 300 || undefined);

test.each(['refuse', 'hang'] as const)(
  'reports a database whose connection does %s and uses it again once it is back',
  async (mode) => {
    const { hostname, port } = new URL(inject('postgresUrl'));
    const line = await startNetworkLink({ host: hostname, port: Number(port) });
    const databaseBy = (url: URL) => new URL(url.href.replace(url.host, `127.0.0.1:${line.port}`));
    const app = await startApp('postgres', { databaseBy });
    onTestFinished(async () => {
      line.set('open');
      await app.stop();
      await line.close();
    });
    const ada = await app.as('ada');
    expect((await ready(app)).status).toBe(200);

    for (const _ of ['the first time', 'and again']) {
      line.set(mode);
      const calls = [
        () => ada.get('/api/assistants'),
        () => ada.post('/api/assistants', { name: 'Tutor', model: 'gpt-4o' }),
        () => app.visitor().post('/api/login', { email: 'ada@example.com', password }),
        () => ready(app),
      ];
      await Promise.all(calls.map((call) => expectAway(call, 'database_unavailable')));
      expect((await bareRequest(app, 'GET', '/healthz')).status).toBe(200);
      line.set('open');
      await comesBack('a database that is back', () => ada.get('/api/assistants'));
      expect((await ready(app)).status).toBe(200);
    }
    expect((await ada.get('/api/assistants')).body.items ?? (await ada.get('/api/assistants')).body).toHaveLength(0);
    const logged = app.logLines.filter((text) => text.includes('"event":"database_unavailable"'));
    expect(logged.length).toBeGreaterThanOrEqual(8);
  },
);

test('treats a database, or its pooler, that reports itself unusable as unavailable', async () => {
  const app = await startApp('postgres');
  onTestFinished(() => app.stop());
  const ada = await app.as('ada');
  const create = () => ada.post('/api/assistants', { name: 'Tutor', model: 'gpt-4o' });
  const run = (statement: string) => withDatabase(app, (db) => sql.raw(statement).execute(db));
  await run(`create function refuse() returns trigger language plpgsql as $$ begin return null; end $$`);
  await run(`create trigger refuse before insert on assistants execute function refuse()`);
  // Disk full, out of memory, too many connections, shutdown, startup, I/O error, and PgBouncer without a server.
  for (const code of ['53100', '53200', '53300', '57P01', '57P03', '58030', '08P01']) {
    const refuse = `begin raise exception 'as it says it' using errcode = '${code}'; end`;
    await run(`create or replace function refuse() returns trigger language plpgsql as $$ ${refuse} $$`);
    await expectAway(create, 'database_unavailable');
  }
  await run(`drop trigger refuse on assistants`);
  expect((await create()).status).toBe(201);
});

test('stops although its database has gone silent', async () => {
  const { hostname, port } = new URL(inject('postgresUrl'));
  const line = await startNetworkLink({ host: hostname, port: Number(port) });
  const databaseBy = (url: URL) => new URL(url.href.replace(url.host, `127.0.0.1:${line.port}`));
  const app = await startApp('postgres', { databaseBy });
  onTestFinished(async () => {
    await line.close();
    await app.stop();
  });
  await (await app.as('ada')).get('/api/assistants');
  line.set('hang');
  const since = ownTime();
  await app.halt();
  // Service managers wait ten seconds before they kill.
  expect(ownTime() - since).toBeLessThan(10_000);
});

test.each(['refuse', 'hang'] as const)(
  'reports a file store whose connection does %s and uses it again once it is back',
  async (mode) => {
    const s3 = await startS3();
    const line = await startNetworkLink({ host: '127.0.0.1', port: Number(new URL(s3.endpoint).port) });
    const app = await startApp('sqlite', { env: { ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${line.port}` } });
    onTestFinished(async () => {
      line.set('open');
      await app.stop();
      await line.close();
      await s3.close();
    });
    const ada = await app.as('ada');
    const { id } = await uploaded(app, ada);
    expect((await ready(app)).status).toBe(200);

    line.set(mode);
    const calls = [() => upload(app, ada), () => ada.get(`/api/files/${id}/content`)];
    await Promise.all(calls.map((call) => expectAway(call, 'storage_unavailable')));
    // One probe of the store serves all requests within half a second.
    await until('a server that is not ready', async () => (await ready(app)).status === 503);
    await expectAway(() => ready(app), 'storage_unavailable');
    expect((await ada.get('/api/assistants')).status).toBe(200);

    line.set('open');
    await comesBack('a store that is back', () => upload(app, ada));
    expect((await download(app, ada, id)).bytes.toString()).toBe('Hello');
    await comesBack('a server that is ready', () => ready(app));
  },
);

/** A server that answers, but not as a file store does. */
async function startNonsense() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: { port: number } = Object(server.address());
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}

test('treats a file store that sends nonsense or reports a fault as unavailable; threads go on', async () => {
  const [s3, nonsense] = [await startS3(), await startNonsense()];
  const app = await startApp('sqlite', { env: s3.env });
  onTestFinished(async () => {
    await app.stop();
    await nonsense.close();
    await s3.close();
  });
  const ada = await app.withKey('ada');
  const { id } = await uploaded(app, ada);
  const calls = [() => upload(app, ada), () => ada.get(`/api/files/${id}/content`), () => ready(app)];

  s3.refuse(() => ({ status: 500, code: 'InternalError' }));
  await until('a server that is not ready', async () => (await ready(app)).status === 503);
  await Promise.all(calls.map((call) => expectAway(call, 'storage_unavailable')));
  expect((await ada.get('/api/files')).status).toBe(200);
  expect((await ask(app, ada, await newThread(ada), 'Hello')).events.at(-1)?.event.type).toBe('finished');
  s3.refuse(() => undefined);
  await comesBack('a store that is back', () => upload(app, ada));

  await app.halt();
  await app.startWith({ S3_ENDPOINT: `http://127.0.0.1:${nonsense.port}` });
  await Promise.all(calls.map((call) => expectAway(call, 'storage_unavailable')));
  expect((await ada.get('/api/threads')).status).toBe(200);
});

test('names each available and each missing part in the readiness report', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const parts = { server: 'ready', database: 'ok', schema: 'ok', storage: 'ok' };
  expect(await ready(app)).toMatchObject({ status: 200, body: { status: 'ready', parts } });

  const row = { checksum: 'of a later version', applied_at: '2030-01-01T00:00:00.000Z' };
  await withDatabase(app, (db) =>
    db
      .insertInto('schema_migrations')
      .values({ name: '9999-later', ...row })
      .execute(),
  );
  expect(await ready(app)).toMatchObject({ status: 200, body: { parts: { ...parts, schema: 'newer' } } });

  // As after restoring a backup of an earlier version.
  await withDatabase(app, (db) => db.deleteFrom('schema_migrations').where('name', '>', '0030').execute());
  const folder = join(app.dataDir, 'files');
  renameSync(folder, `${folder}.away`);
  const missing = await until('a store that is missing', async () => {
    const answer = await ready(app);
    return answer.body.parts.storage === 'missing' ? answer : undefined;
  });
  renameSync(`${folder}.away`, folder);
  expect([missing.status, missing.headers['retry-after'], missing.body]).toMatchObject([
    503,
    '5',
    { code: 'unavailable', message: expect.stringMatching(/different version/), requestId: expect.any(String) },
  ]);
  expect(missing.body.parts).toEqual({ server: 'ready', database: 'ok', schema: 'missing', storage: 'missing' });
});

describe('file folder', () => {
  test('reports an unavailable folder and uses it again once it is back, unlike a missing file', async () => {
    const app = await startApp('sqlite');
    onTestFinished(() => app.stop());
    const ada = await app.as('ada');
    const { id } = await uploaded(app, ada);
    const folder = join(app.dataDir, 'files');
    renameSync(folder, `${folder}.away`);
    for (const call of [() => upload(app, ada), () => ada.get(`/api/files/${id}/content`), () => ready(app)])
      await expectAway(call, 'storage_unavailable');
    renameSync(`${folder}.away`, folder);
    expect((await upload(app, ada)).status).toBe(201);
    expect((await download(app, ada, id)).bytes.toString()).toBe('Hello');
    await comesBack('a server that is ready', () => ready(app));

    // If the disk is not mounted at the next start, an empty mount point must not be taken for the folder.
    await app.halt();
    renameSync(folder, `${folder}.away`);
    await app.startWith({});
    for (const call of [() => upload(app, ada), () => ready(app)]) await expectAway(call, 'storage_unavailable');
    renameSync(`${folder}.away`, folder);
    await comesBack('a server that is ready', () => ready(app));
    expect((await download(app, ada, id)).bytes.toString()).toBe('Hello');
  });
});
