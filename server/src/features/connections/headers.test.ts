import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { type Behaviour, startCapableProvider } from '#server/testing/capable-provider';
import { ask, newThread, post } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/connections';
const secret = 'portkey-config-0123456789';
const headers = [
  { name: 'X-Portkey-Provider', value: 'openai' },
  { name: 'x-portkey-config', value: secret },
];
const headerNames = headers.map(({ name }) => name);

describe.each(engines)('headers of a connection on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());

  const someone = async () => (await app.someone()).visitor;
  async function provider(behaviour: Behaviour = 'able') {
    const started = await startCapableProvider(behaviour);
    onTestFinished(() => started.close());
    return started;
  }
  const draft = (baseUrl: string, more: object = {}) => ({ preset: 'other', name: 'Home', baseUrl, headers, ...more });
  async function added(visitor: HttpClient, baseUrl: string, more: object = {}) {
    const made = await visitor.post(path, draft(baseUrl, more));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body;
  }
  const changed = (id: number, values: object) =>
    withDatabase(app, (db) => db.updateTable('connections').set(values).where('id', '=', id).execute());
  const sentBy = ({ seen }: Awaited<ReturnType<typeof provider>>) =>
    seen.map(({ headers: sent }) => [sent['x-portkey-provider'], sent['x-portkey-config']]);

  test('are sent with every request on pages and in /v1, and their values never come out', async () => {
    const ada = await someone();
    const peer = await provider();
    const made = await added(ada, peer.url);
    expect(made).toMatchObject({ headerNames, hasKey: false });
    const threadId = await newThread(ada, { model: `@${made.id}/talker` });
    expect((await ask(app, ada, threadId, 'Hello')).answer.state).toBe('complete');
    const { token } = await newToken(ada);
    const body = { model: 'Home/tiny-embed', input: 'A' };
    expect((await callApi(app, token, '/v1/embeddings', { method: 'POST', body })).status).toBe(200);
    await ada.post(`${path}/${made.id}/check`, {});
    expect(peer.seen.length).toBeGreaterThan(8);
    expect(new Set(sentBy(peer).map(String))).toEqual(new Set([`openai,${secret}`]));

    const row = await withDatabase(app, (db) =>
      db.selectFrom('connections').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow(),
    );
    const archive = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await archive.body.arrayBuffer()));
    expect(JSON.parse(files.get('connections.json') ?? '').connections[0].headerNames).toEqual(headerNames);
    for (const text of [JSON.stringify([row, (await ada.get(path)).body]), ...files.values(), app.logLines.join('')])
      expect(text).not.toContain(secret);
  });

  test('are changed one by one: a value that is left out stays', async () => {
    const ada = await someone();
    const peer = await provider();
    const { id } = await added(ada, peer.url, { key: 'a-key-of-mine-0001' });
    const next = [{ name: 'X-PORTKEY-CONFIG' }, { name: 'x-portkey-provider', value: 'mistral-ai' }];
    const { body } = await ada.patch(`${path}/${id}`, { headers: next });
    expect(body).toMatchObject({ headerNames: next.map(({ name }) => name), hasKey: true });
    expect(sentBy(peer).at(-1)).toEqual(['mistral-ai', secret]);
    expect(peer.seen.at(-1)?.headers.authorization).toBe('Bearer a-key-of-mine-0001');

    expect((await ada.patch(`${path}/${id}`, { key: 'another-key-0002' })).status).toBe(200);
    expect(sentBy(peer).at(-1)).toEqual(['mistral-ai', secret]);
    const missing = await ada.patch(`${path}/${id}`, { headers: [{ name: 'X-New' }] });
    expect([missing.status, missing.body.fields]).toEqual([400, { headers: 'Enter the value of X-New' }]);
    expect((await ada.patch(`${path}/${id}`, { headers: [] })).body.headerNames).toEqual([]);
    await ada.post(`${path}/${id}/check`, {});
    expect(sentBy(peer).at(-1)).toEqual([undefined, undefined]);
    const { items } = (await ada.get('/api/user/security-events')).body;
    const events = items.filter(({ event }: { event: string }) => event === 'connection_headers_changed');
    expect(events).toHaveLength(2);
  });

  const value = 'v';
  test.each([
    ['Authorization', 'for the key'],
    ['Host', 'cannot set'],
    ['content-length', 'cannot set'],
    ['Content-Type', 'cannot set'],
    ['Cookie', 'cannot set'],
    ['Connection', 'cannot set'],
    ['Transfer-Encoding', 'cannot set'],
    ['Proxy-Authorization', 'cannot set'],
    ['Accept-Encoding', 'cannot set'],
    ['two words', 'letters, digits and hyphens'],
    ['x:y', 'letters, digits and hyphens'],
    ['', 'Enter the name'],
  ])('cannot be named %j', async (name, reason) => {
    const ada = await someone();
    const peer = await provider();
    const refused = await ada.post(path, draft(peer.url, { headers: [{ name, value }] }));
    expect([refused.status, JSON.stringify(refused.body.fields)]).toEqual([400, expect.stringContaining(reason)]);
    expect(peer.seen).toEqual([]);
  });

  test('refuse control characters, doubles, more than ten and the header of the key', async () => {
    const ada = await someone();
    const peer = await provider();
    const refusedFor = async (list: object[], more: object = {}) => {
      const refused = await ada.post(path, draft(peer.url, { ...more, headers: list }));
      return `${refused.status} ${JSON.stringify(refused.body.fields)}`;
    };
    for (const wrong of ['a\r\nHost: b', 'a\u0000b', 'ä', '', 'x'.repeat(4_001)])
      expect(await refusedFor([{ name: 'X-A', value: wrong }]), wrong).toContain('400');
    expect(await refusedFor([1, 2].map((at) => ({ name: at === 1 ? 'X-A' : 'x-a', value })))).toContain('set once');
    const eleven = Array.from({ length: 11 }, (_, at) => ({ name: `X-${at}`, value }));
    expect(await refusedFor(eleven)).toContain('10 headers');
    const azure = { preset: 'azure', baseUrl: 'https://contoso.openai.azure.com/openai/v1', key: 'k'.repeat(20) };
    expect(await refusedFor([{ name: 'API-Key', value }], azure)).toContain('sent in api-key');
    expect(peer.seen).toEqual([]);
  });

  test('reach no other address: not from a changed row, and not after a redirect', async () => {
    const ada = await someone();
    const [mine, other] = [await provider(), await provider()];
    const { id } = await added(ada, mine.url);
    await changed(id, { base_url: other.url });
    expect(await ada.post(`${path}/${id}/check`, {})).toMatchObject({ status: 409, body: { code: 'key_unreadable' } });
    const redirecting = createServer((_request, response) => {
      response.writeHead(307, { location: `${other.url}/models` }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void redirecting.close());
    const { port }: { port: number } = Object(redirecting.address());
    await ada.post(path, draft(`http://127.0.0.1:${port}/v1`, { name: 'Turned' }));
    expect(other.seen).toEqual([]);
  });

  test('reach no other address from another row of the same owner, with or without a key', async () => {
    const ada = await someone();
    const [mine, other] = [await provider(), await provider()];
    const [from, bare] = [await added(ada, mine.url), await added(ada, other.url, { headers: [], name: 'Bare' })];
    const keyed = await added(ada, other.url, { headers: [], key: 'a-key-of-mine-0001', name: 'Keyed' });
    const copied = await withDatabase(app, (db) =>
      db
        .selectFrom('connections')
        .select(['headers_sealed', 'header_names'])
        .where('id', '=', from.id)
        .executeTakeFirstOrThrow(),
    );
    other.seen.length = 0;
    for (const { id } of [bare, keyed]) {
      await changed(id, copied);
      const checked = await ada.post(`${path}/${id}/check`, {});
      expect([checked.status, checked.body.code]).toEqual([409, 'key_unreadable']);
      await ada.get('/api/models');
      const threadId = await newThread(ada, { model: `@${id}/talker` });
      expect((await post(ada, threadId, 'Hello')).body.code).toBe('key_unreadable');
      // Their owner removes them, without knowing their values.
      expect((await ada.patch(`${path}/${id}`, { headers: [] })).status).toBe(200);
    }
    expect(sentBy(other).flat().filter(Boolean)).toEqual([]);
  });

  test('cannot be read by another row’s owner', async () => {
    const [ada, bob] = [await someone(), await someone()];
    const peer = await provider();
    const [hers, his] = [await added(ada, peer.url), await added(bob, peer.url, { headers: [] })];
    const stolen = await withDatabase(app, (db) =>
      db.selectFrom('connections').select('headers_sealed').where('id', '=', hers.id).executeTakeFirstOrThrow(),
    );
    await changed(his.id, stolen);
    peer.seen.length = 0;
    const checked = await bob.post(`${path}/${his.id}/check`, {});
    expect([checked.status, checked.body.code]).toEqual([409, 'key_unreadable']);
    expect((await bob.patch(`${path}/${hers.id}`, { headers: [] })).status).toBe(404);
    expect(peer.seen).toEqual([]);
  });

  test('are masked where the provider repeats them', async () => {
    const ada = await someone();
    const repeating = createServer((request, response) => {
      const message = `No gateway for ${request.headers['x-portkey-config']}, ${request.headers['x-token']}`;
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
    });
    await new Promise<void>((resolve) => repeating.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void repeating.close());
    const { port }: { port: number } = Object(repeating.address());
    const url = `http://127.0.0.1:${port}/v1`;
    const token = { name: 'X-Token', value: 'Bearer token-0123456789' };
    const made = await added(ada, url, { headers: [...headers, token] });
    const { body } = await ada.post(`${path}/${made.id}/check`, { model: 'm' });
    const { token: access } = await newToken(ada);
    const chatBody = { model: 'Home/m', messages: [{ role: 'user', content: 'Hi' }] };
    const answer = await callApi(app, access, '/v1/chat/completions', { method: 'POST', body: chatBody });
    const responses = JSON.stringify([made, body, answer.text]);
    expect(responses).toContain('No gateway for');
    expect(responses).not.toMatch(/config-0123456789|token-0123456789/);
  });

  test('are used by people for an offered connection, who learn nothing of them', async () => {
    const peer = await provider();
    const offer = { ...draft(peer.url, { name: 'Team' }), audience: 'everybody' };
    const ada = await someone();
    expect((await ada.post('/api/admin/connections', offer)).status).toBe(403);
    const made = await admin.post('/api/admin/connections', offer);
    expect([made.status, made.body.headerNames]).toEqual([201, headerNames]);
    onTestFinished(async () => void (await admin.delete(`/api/admin/connections/${made.body.id}`)));
    const threadId = await newThread(ada, { model: `@${made.body.id}/talker` });
    expect((await ask(app, ada, threadId, 'Hello')).answer.state).toBe('complete');
    expect(sentBy(peer).at(-1)).toEqual(['openai', secret]);
    expect(JSON.stringify((await ada.get(path)).body)).not.toMatch(/portkey/i);
    const change = { headers: [{ name: 'x-portkey-config' }] };
    const { body } = await admin.patch(`/api/admin/connections/${made.body.id}`, change);
    expect(body.headerNames).toEqual(['x-portkey-config']);
    expect(sentBy(peer).at(-1)).toEqual([undefined, secret]);
  });
});
