import { type AbilityCheck, abilities, connectionsPerUser } from '@roster/contracts/connections/connections';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { type Behaviour, startCapableProvider } from '#server/testing/capable-provider';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, unzip } from '#server/testing/zip';

const path = '/api/connections';
const key = 'a-key-of-mine-0001';

describe.each(engines)('connections on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const someone = async () => (await app.someone()).visitor;
  async function provider(behaviour: Behaviour = 'able') {
    const started = await startCapableProvider(behaviour);
    onTestFinished(() => started.close());
    return started;
  }
  const draft = (baseUrl: string, more: object = {}) => ({ preset: 'other', name: 'Home', baseUrl, key, ...more });
  async function added(visitor: HttpClient, baseUrl: string, more: object = {}) {
    const made = await visitor.post(path, draft(baseUrl, more));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body;
  }
  const listed = async (visitor: HttpClient) => (await visitor.get(path)).body.connections;
  const namesOf = async (visitor: HttpClient): Promise<string[]> =>
    (await listed(visitor)).map(({ name }: { name: string }) => name);
  const rowOf = (id: number) =>
    withDatabase(app, (db) => db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
  const eventsOf = async (visitor: HttpClient): Promise<[string, string][]> =>
    (await visitor.get('/api/user/security-events')).body.items
      .map(({ event, detail }: { event: string; detail: string }) => [event, detail])
      .filter(([event]: [string]) => event.startsWith('connection_'));

  test('say what the provider has refused, and ask it again on request', async () => {
    const ada = await someone();
    const { url, seen } = await provider();
    const { id } = await added(ada, url);
    const refusalsOf = async () => (await ada.get(`${path}/${id}/refusals`)).body.refusals;
    expect(await refusalsOf()).toEqual([]);
    const threadId = await newThread(ada, { model: `@${id}/talker` });
    const answered = async () => {
      const { answer } = await ask(app, ada, threadId, 'Count to three');
      expect(answer).toMatchObject({ state: 'complete', text: '1, 2, 3' });
      return seen.filter(({ path: requested }) => requested === '/responses').length;
    };
    expect(await answered()).toBe(1);
    expect(await answered()).toBe(1);
    const [refusal, ...others] = await refusalsOf();
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ model: null, what: 'responses' });
    expect(Date.parse(refusal.askAt) - Date.parse(refusal.learnedAt)).toBeCloseTo(3_600_000, -3);

    const bob = await someone();
    expect((await bob.get(`${path}/${id}/refusals`)).status).toBe(404);
    expect((await bob.post(`${path}/${id}/ask-again`)).status).toBe(404);
    expect(await answered()).toBe(1);
    expect((await ada.post(`${path}/${id}/ask-again`)).status).toBe(204);
    expect(await refusalsOf()).toEqual([]);
    expect(await answered()).toBe(2);
    expect(await refusalsOf()).toHaveLength(1);
  });

  test('are added, renamed, paused and removed, and the key never comes out', async () => {
    const ada = await someone();
    const { url, seen } = await provider();
    const made = await added(ada, `${url}/`);
    expect(made).toMatchObject({
      ...{ preset: 'other', name: 'Home', baseUrl: url, hasKey: true, keyLast4: '0001', api: 'auto' },
      ...{ firstTokenSeconds: null, isPaused: false, notice: null, checks: [], checkedAt: null },
    });
    expect(seen.map(({ path: requested }) => requested)).toEqual(['/models']);
    expect(await listed(ada)).toEqual([made]);

    const change = { name: 'Cellar', api: 'chat', firstTokenSeconds: 1200, isPaused: true };
    const { body: changed } = await ada.patch(`${path}/${made.id}`, change);
    expect(changed).toEqual({ ...made, ...change });
    const row = await rowOf(made.id);
    expect(JSON.stringify(row)).not.toContain(key);
    expect(JSON.stringify((await ada.get(path)).body)).not.toContain(key);
    expect(app.logLines.join('')).not.toContain(key);

    expect((await ada.delete(`${path}/${made.id}`)).status).toBe(204);
    expect(await listed(ada)).toEqual([]);
    expect((await ada.delete(`${path}/${made.id}`)).status).toBe(404);
    expect(await eventsOf(ada)).toEqual([
      ['connection_removed', 'Cellar'],
      ['connection_added', 'Home'],
    ]);
  });

  test('refuse what cannot be one, and ask nobody', async () => {
    const ada = await someone();
    const { url, seen } = await provider();
    const fields = async (body: object) => (await ada.post(path, body)).body.fields;
    expect(await fields(draft('http://192.168.1.5:11434/v1'))).toEqual({
      baseUrl: expect.stringContaining('192.168.1.5:11434 in PROVIDER_HOSTS_ALLOWED'),
    });
    expect(await fields(draft('https://evil.example/v1'))).toEqual({
      baseUrl: expect.stringContaining('CONNECTIONS=open'),
    });
    expect(await fields({ preset: 'azure', name: 'Work', key })).toEqual({
      baseUrl: expect.stringContaining('https://NAME.openai.azure.com'),
    });
    expect(await fields({ preset: 'openai', name: 'Work' })).toEqual({ key: 'Enter a key' });
    for (const name of ['', 'a/b', 'x'.repeat(61)])
      expect(Object.keys(await fields(draft(url, { name }))), name).toEqual(['name']);
    expect(await fields(draft(url, { key: 'two words' }))).toMatchObject({ key: expect.any(String) });
    expect(seen).toEqual([]);
    await added(ada, url);
    const { status, body } = await ada.post(path, draft(url, { name: 'HOME' }));
    expect([status, body.fields]).toEqual([409, { name: 'You already have a connection named HOME.' }]);
    expect(await listed(ada)).toHaveLength(1);
  });

  test('do not store a key that the provider refuses, in its own words', async () => {
    const ada = await someone();
    const peer = await provider('wrong key');
    const refused = {
      status: 422,
      body: { code: 'key_rejected', fields: { key: expect.stringContaining('not one of ours') } },
    };
    expect(await ada.post(path, draft(peer.url))).toMatchObject(refused);
    expect(await listed(ada)).toEqual([]);
    peer.become('able');
    const made = await added(ada, peer.url);
    const before = await rowOf(made.id);
    peer.become('wrong key');
    expect(await ada.patch(`${path}/${made.id}`, { key: 'another-key-0002' })).toMatchObject(refused);
    expect(await rowOf(made.id)).toEqual(before);
    peer.become('able');
    const { body } = await ada.patch(`${path}/${made.id}`, { key: 'another-key-0002' });
    expect(body.keyLast4).toBe('0002');
    expect(peer.seen.at(-1)?.headers.authorization).toBe('Bearer another-key-0002');
    expect((await ada.patch(`${path}/${made.id}`, { key: null })).body).toMatchObject({
      hasKey: false,
      keyLast4: null,
    });
    expect((await eventsOf(ada)).map(([event]) => event)).toEqual([
      'connection_key_removed',
      'connection_key_replaced',
      'connection_added',
    ]);
  });

  test('are stored with a notice if the provider cannot be reached', async () => {
    const { url } = await provider('down');
    const made = await added(await someone(), url);
    expect(made.notice).toContain('The connection is saved but not verified.');
  });

  test('are put in order, all at once', async () => {
    const ada = await someone();
    const { url } = await provider();
    for (const name of ['A', 'B', 'C']) await added(ada, url, { name });
    const [, , last] = await listed(ada);
    await ada.patch(`${path}/${last.id}`, { position: 0 });
    expect(await namesOf(ada)).toEqual(['C', 'A', 'B']);
    await ada.patch(`${path}/${last.id}`, { position: connectionsPerUser });
    expect(await namesOf(ada)).toEqual(['A', 'B', 'C']);
    await added(ada, url, { name: 'D' });
    expect(await namesOf(ada)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('are at most 50, also if they are added at the same time', async () => {
    const ada = await someone();
    const { url } = await provider();
    const made = await added(ada, url);
    await withDatabase(app, async (db) => {
      const { id: _, ...row } = await db
        .selectFrom('connections')
        .selectAll()
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow();
      const more = Array.from({ length: connectionsPerUser - 2 }, (_value, index) => ({
        ...{ ...row, name: `N${index}`, name_key: `n${index}`, position: index + 1 },
      }));
      await db.insertInto('connections').values(more).execute();
    });
    const results = await Promise.all(['X', 'Y', 'Z'].map((name) => ada.post(path, draft(url, { name }))));
    expect(results.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await listed(ada)).toHaveLength(connectionsPerUser);
  });

  test('say what uses them, and leave stored models as they are when removed', async () => {
    const ada = await someone();
    const { url } = await provider();
    const { id } = await added(ada, url);
    const model = `@${id}/talker`;
    const assistantId = await createAssistant(ada, { name: 'Local' });
    const threadId = await newThread(ada, { title: 'Local' });
    await withDatabase(app, async (db) => {
      await db.updateTable('assistants').set({ model }).where('id', '=', assistantId).execute();
      await db.updateTable('threads').set({ model }).where('id', '=', threadId).execute();
    });
    expect((await ada.get(`${path}/${id}/uses`)).body).toEqual({
      ...{ assistants: 1, conversations: 1, projects: 0, testSets: 0, trainings: 0 },
    });
    await ada.delete(`${path}/${id}`);
    expect((await ada.get(`/api/threads/${threadId}`)).status).toBe(200);
    const stored = await withDatabase(app, (db) =>
      db.selectFrom('threads').select('model').where('id', '=', threadId).executeTakeFirstOrThrow(),
    );
    expect(stored.model).toBe(model);
    expect((await added(ada, url)).id).toBeGreaterThan(id);
  });

  test('send a key to no other address, even from a changed row', async () => {
    const ada = await someone();
    const [mine, other] = [await provider(), await provider()];
    const made = await added(ada, mine.url);
    await withDatabase(app, (db) =>
      db.updateTable('connections').set({ base_url: other.url }).where('id', '=', made.id).execute(),
    );
    expect(await ada.post(`${path}/${made.id}/check`, {})).toMatchObject({
      status: 409,
      body: { code: 'key_unreadable' },
    });
    expect(other.seen).toEqual([]);
  });

  test('are exported without keys', async () => {
    const ada = await someone();
    const made = await added(ada, (await provider()).url);
    const archive = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await archive.body.arrayBuffer()));
    const { id: _, ...exported } = made;
    expect(JSON.parse(files.get('connections.json') ?? '')).toEqual({ connections: [exported] });
    expect([...files.values()].join('')).not.toContain(key);
  });

  describe('a check', () => {
    const checked = async (behaviour: Behaviour) => {
      const ada = await someone();
      const peer = await provider();
      const { id } = await added(ada, peer.url);
      peer.become(behaviour);
      const { status, body } = await ada.post(`${path}/${id}/check`, {});
      expect(status).toBe(200);
      expect(await listed(ada)).toEqual([body]);
      const found = new Map<string, AbilityCheck>(body.checks.map((one: AbilityCheck) => [one.ability, one]));
      return { peer, body, found };
    };

    test('tries everything that matters, and deletes the file it sent', async () => {
      const { peer, body, found } = await checked('able');
      expect([...found].map(([ability, { result }]) => [ability, result])).toEqual(
        abilities.map((ability) => [ability, 'works']),
      );
      expect(body).toMatchObject({ notice: null, checkedAt: expect.any(String) });
      expect(peer.seen.map(({ path: requested }) => requested)).toContain('/files/file-1');
    });

    test('believes no provider that only claims to do something', async () => {
      const { found } = await checked('lies');
      for (const ability of ['reasoning', 'tools', 'images', 'jsonSchema', 'embeddings'])
        expect(found.get(ability), ability).toMatchObject({
          result: 'fails',
          reason: expect.stringMatching(/talker|tiny/),
        });
      expect(found.get('answer')?.result).toBe('works');
    });

    test('says what a refused key and a dead provider mean for each ability', async () => {
      const refused = await checked('wrong key');
      expect(refused.body.notice).toContain('not one of ours');
      expect(refused.found.get('models')).toMatchObject({ result: 'fails' });
      const dead = await checked('down');
      expect(dead.found.get('models')).toMatchObject({ result: 'fails' });
      expect(dead.body.notice).toEqual(expect.any(String));
    });
  });

  test('belong to one person', async () => {
    const [ada, eve] = [await someone(), await someone()];
    const { url } = await provider();
    const { id } = await added(ada, url);
    for (const { status } of [
      await eve.patch(`${path}/${id}`, { name: 'Mine' }),
      await eve.post(`${path}/${id}/check`, {}),
      await eve.get(`${path}/${id}/uses`),
      await eve.delete(`${path}/${id}`),
    ])
      expect(status).toBe(404);
    expect(await listed(eve)).toEqual([]);
    await added(eve, url);
    expect(await namesOf(ada)).toEqual(['Home']);
  });

  test('start from presets that say whether they may be used', async () => {
    const { body } = await (await someone()).get('/api/connection-presets');
    const allowed = new Map(
      body.presets.map((preset: { id: string; allowed: boolean }) => [preset.id, preset.allowed]),
    );
    expect(body.policy).toBe('listed');
    expect([...allowed.values()].every(Boolean)).toBe(true);
    expect(body.presets.find(({ id }: { id: string }) => id === 'other').notice).toContain('CONNECTIONS=open');
    expect((await (await someone()).get(`${path}/local`)).status).toBe(200);
  });
});

test('keeps connections that are turned off, does not use them, and adds none', async () => {
  const app = await startApp('sqlite');
  onTestFinished(() => app.stop());
  const peer = await startCapableProvider();
  onTestFinished(() => peer.close());
  const { visitor: ada } = await app.someone();
  const { body: made } = await ada.post(path, { preset: 'other', name: 'Home', baseUrl: peer.url, key });
  await app.halt();
  await app.startWith({ CONNECTIONS: 'off' });
  const before = peer.seen.length;
  expect((await ada.get(path)).body).toEqual({ policy: 'off', offered: [], connections: [made] });
  for (const { body } of [
    await ada.post(path, { preset: 'other', name: 'New', baseUrl: peer.url }),
    await ada.post(`${path}/${made.id}/check`, {}),
    await ada.patch(`${path}/${made.id}`, { key: 'another-key-0002' }),
  ])
    expect(body.message).toContain('CONNECTIONS=listed');
  expect(
    (await ada.get('/api/connection-presets')).body.presets.some(({ allowed }: { allowed: boolean }) => allowed),
  ).toBe(false);
  expect((await ada.get(`${path}/local`)).body).toEqual({ servers: [] });
  const { answer } = await ask(app, ada, await newThread(ada, { model: `@${made.id}/talker`, title: 'Named' }), 'One');
  expect(answer.error?.message).toBe(
    'This installation no longer allows connections to the provider’s address. Roster’s operator can allow it (CONNECTIONS, PROVIDER_HOSTS_ALLOWED).',
  );
  expect(peer.seen).toHaveLength(before);
});
