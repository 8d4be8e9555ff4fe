import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { startCapableProvider } from '#server/testing/capable-provider';
import { ask, newThread } from '#server/testing/chat';
import { newConnection, openConnections } from '#server/testing/connections';
import type { HttpClient } from '#server/testing/http-client';
import { roster } from '#server/testing/roster';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, untilDiscovered } from '#server/testing/tool-servers';

describe.each(engines)('keys rotate on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let threadId = 0;
  let serverId = 0;
  let connected = 0;
  let offeredThreadId = 0;
  let peer: Awaited<ReturnType<typeof startToolServer>>;
  let gateway: Awaited<ReturnType<typeof startCapableProvider>>;
  let gatewayId = 0;
  let offeredId = 0;
  let file = '';
  let variables: Record<string, string>;
  beforeAll(async () => {
    peer = await startToolServer();
    gateway = await startCapableProvider();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1', ...openConnections } });
    ada = await app.withKey('ada');
    threadId = await newThread(ada);
    const { id } = await newConnection(app, ada, 'Home');
    connected = (await ada.post('/api/threads', { model: `@${id}/gpt-4o` })).body.id;
    await ada.post('/api/settings/admin-key', { adminKey: 'sk-admin-of-ada-0123456789' });
    serverId = (await addToolServer(ada, peer.url, { auth: { type: 'header', name: 'X-Key', value: 'of-ada' } })).id;
    const offer = await ada.post('/api/admin/connections', {
      ...{ preset: 'other', name: 'Team', baseUrl: app.provider.url, audience: 'everybody' },
      key: `sk-connection-${'k'.repeat(32)}`,
    });
    offeredThreadId = await newThread(ada, { model: `@${offer.body.id}/gpt-4o` });
    const behind = { preset: 'other', name: 'Gateway', baseUrl: gateway.url };
    const named = { ...behind, headers: [{ name: 'X-Gate', value: 'of-ada-0123456789' }] };
    gatewayId = (await ada.post('/api/connections', named)).body.id;
    const shared = { ...behind, headers: [{ name: 'X-Gate', value: 'of-all-0123456789' }], audience: 'everybody' };
    offeredId = (await ada.post('/api/admin/connections', shared)).body.id;
    file = join(app.dataDir, 'master.key');
    variables = { DATA_DIR: app.dataDir, ...(app.databaseUrl && { DATABASE_URL: app.databaseUrl }) };
  });
  afterAll(async () => {
    await app.stop();
    await peer.close();
    await gateway.close();
  });

  const keyFiles = () => readdirSync(app.dataDir).filter((name) => name.startsWith('master.key'));
  const keyOpens = async () => {
    const { answer } = await ask(app, ada, threadId, 'Hello');
    expect(answer.state).toBe('complete');
    expect((await ask(app, ada, connected, 'Hello')).answer.state).toBe('complete');
    expect((await ask(app, ada, offeredThreadId, 'Hello')).answer.state).toBe('complete');
    for (const [id, value] of [
      [gatewayId, 'of-ada-0123456789'],
      [offeredId, 'of-all-0123456789'],
    ] as const) {
      gateway.seen.length = 0;
      const namedThreadId = await newThread(ada, { model: `@${id}/talker`, title: 'Named' });
      expect((await ask(app, ada, namedThreadId, 'Hello')).answer.state).toBe('complete');
      const answers = gateway.seen.filter(({ path }) => path === '/chat/completions');
      expect(new Set(answers.map(({ headers }) => headers['x-gate']))).toEqual(new Set([value]));
    }
    // Each process is new, so nothing is cached: the admin key was decrypted.
    expect((await ada.get('/api/analytics/provider?from=2026-11-01&to=2026-11-02')).status).toBe(200);
    peer.requests.length = 0;
    await ada.post(`/api/tool-servers/${serverId}/refresh`);
    expect((await untilDiscovered(ada, serverId)).state).toBe('ready');
    expect(peer.requests[0]?.headers['x-key']).toBe('of-ada');
  };

  test('is refused while Roster runs, and leaves the key as it is', async () => {
    const before = readFileSync(file, 'utf8');
    const { code, out, errors } = await roster(['keys', 'rotate'], variables);
    expect([code, out]).toEqual([1, '']);
    expect(errors).toMatch(/^(Another )?Roster is using .*\. Stop it first\.\n$/);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(keyFiles()).toEqual(['master.key']);
  });

  test('explains what to do with a key from the environment, and leaves the file alone', async () => {
    const before = readFileSync(file, 'utf8');
    const MASTER_KEY = randomBytes(32).toString('base64');
    for (const more of [{ MASTER_KEY }, { MASTER_KEY_FILE: file }]) {
      const { code, errors } = await roster(['keys', 'rotate'], { ...variables, ...more });
      expect([code, errors]).toEqual([1, expect.stringContaining(`The master key comes from ${Object.keys(more)[0]}`)]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('re-encrypts everything with a new key, and keeps the old one for older backups', async () => {
    const before = readFileSync(file, 'utf8');
    await app.halt();
    const { code, out, errors } = await roster(['keys', 'rotate'], variables);
    expect([code, errors]).toEqual([0, '']);
    expect(out).toContain('the provider keys of 1 person are encrypted with it. Start the server.');
    expect(out).not.toContain(before.trim());
    const after = readFileSync(file, 'utf8');
    expect(after).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(after).not.toBe(before);
    const [, kept = ''] = keyFiles();
    expect(keyFiles()).toEqual(['master.key', expect.stringMatching(/^master\.key\.until-/)]);
    expect(readFileSync(join(app.dataDir, kept), 'utf8')).toBe(before);
    for (const name of keyFiles()) expect(statSync(join(app.dataDir, name)).mode & 0o777).toBe(0o600);
    await expect(app.startWith({ MASTER_KEY: before.trim() })).rejects.toThrow('The master key is not the one');
    await app.startWith({});
    await keyOpens();
  });

  test('continues where it was cut off', async () => {
    await app.halt();
    // The state after the new key was written and before anything uses it.
    const added = randomBytes(32).toString('base64');
    writeFileSync(file, `${added},${readFileSync(file, 'utf8')}`);
    writeFileSync(`${file}.part`, 'half');
    expect((await roster(['keys', 'rotate'], variables)).code).toBe(0);
    const after = readFileSync(file, 'utf8');
    expect(after).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(after).not.toContain(added);
    expect(keyFiles()).not.toContain('master.key.part');
    await app.startWith({});
    await keyOpens();
  });

  test('is refused with another key than the database’s', async () => {
    await app.halt();
    const before = readFileSync(file, 'utf8');
    const other = `${randomBytes(32).toString('base64')}\n`;
    writeFileSync(file, other);
    const { code, errors } = await roster(['keys', 'rotate'], variables);
    expect([code, errors]).toEqual([1, expect.stringContaining('The master key is not the one')]);
    expect(readFileSync(file, 'utf8')).toBe(other);
    writeFileSync(file, before);
    await app.startWith({});
    await keyOpens();
  });
});

test('creates nothing on keys rotate without an installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, errors } = await roster(['keys', 'rotate'], { DATA_DIR: folder });
  expect([code, errors]).toEqual([1, expect.stringContaining('The master key or the database in')]);
  expect(readdirSync(folder)).toEqual([]);
});
