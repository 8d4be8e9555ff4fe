import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, draft, idsOf } from '#server/testing/assistants';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

type Call = (visitor: HttpClient, id: number, headers?: Record<string, string>) => ReturnType<HttpClient['get']>;

/** Every operation, on one assistant where it takes one. */
const reading: [name: string, call: Call][] = [
  ['list', (visitor, _id, headers = {}) => visitor.get('/api/assistants', { headers })],
  ['export all', (visitor, _id, headers = {}) => visitor.get('/api/assistants/export', { headers })],
  ['export one', (visitor, id, headers = {}) => visitor.get(`/api/assistants/${id}/export`, { headers })],
];
const changing: [name: string, call: Call][] = [
  ['create', (visitor, _id, headers = {}) => visitor.post('/api/assistants', draft(), { headers })],
  ['update', (visitor, id, headers = {}) => visitor.patch(`/api/assistants/${id}`, { name: 'Taken' }, { headers })],
  ['delete', (visitor, id, headers = {}) => visitor.delete(`/api/assistants/${id}`, undefined, { headers })],
  [
    'set default',
    (visitor, id, headers = {}) => visitor.post('/api/settings/default-assistant', { assistantId: id }, { headers }),
  ],
  [
    'fetch',
    (visitor, _id, headers = {}) => visitor.post('/api/assistants/fetch-from-openai', { apiKey: goodKey }, { headers }),
  ],
  [
    'import',
    (visitor, _id, headers = {}) =>
      visitor.post(
        '/api/assistants/import-batch-from-openai',
        { assistantIds: ['asst_a'], apiKey: goodKey },
        { headers },
      ),
  ],
  ['import a file', (visitor, _id, headers = {}) => visitor.post('/api/assistants/import-file', draft(), { headers })],
];
const onOne = [...reading, ...changing].filter(([name]) =>
  ['export one', 'update', 'delete', 'set default'].includes(name),
);

describe.each(engines)('access to assistants on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let id: number;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
    id = await createAssistant(ada, { name: 'Ada’s own' });
  });
  afterAll(() => app.stop());

  const untouched = async () => {
    const { body } = await ada.get('/api/assistants');
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ id, name: 'Ada’s own', isDefault: true });
  };

  test.each(onOne)('%s: responds alike to another user’s assistant and an unknown one', async (_name, call) => {
    const bob = await app.as('bob');
    const foreign = await call(bob, id);
    const unknown = await call(bob, 2_000_000_000);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    await untouched();
  });

  test('lists and exports only the user’s own', async () => {
    const bob = await app.as('bob');
    const own = await createAssistant(bob, { name: 'Bob’s own' });
    expect(await idsOf(bob)).toEqual([own]);
    expect((await bob.get(`/api/assistants?cursor=${id + 1}`)).body).toEqual([]);
    const { body } = await bob.get('/api/assistants/export');
    expect(body.assistants.map(({ name }: { name: string }) => name)).toEqual(['Bob’s own']);
    await untouched();
  });

  test('imports what another user has imported before', async () => {
    const entry = { id: 'asst_Shared', object: 'assistant', name: 'Shared', model: 'gpt-4o' };
    for (const name of ['carol', 'dave']) {
      const { body } = await (await app.as(name)).post('/api/assistants/import-file', entry);
      expect([body.imported.length, body.failed]).toEqual([1, []]);
    }
  });

  test.each([...reading, ...changing])('%s: rejects visitors', async (_name, call) => {
    const { status, body } = await call(app.visitor(), id);
    expect([status, body.code]).toEqual([401, 'not_signed_in']);
    await untouched();
  });

  test.each(changing)('%s: rejects requests from another site', async (_name, call) => {
    const { status, body } = await call(ada, id, { 'sec-fetch-site': 'cross-site' });
    expect([status, body.code]).toEqual([403, 'cross_site']);
    await untouched();
  });

  test.each(changing.filter(([name]) => name !== 'delete'))(
    '%s: rejects bodies that are not JSON',
    async (_name, call) => {
      const { status, body } = await call(ada, id, { 'content-type': 'text/plain' });
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
      await untouched();
    },
  );

  test.each(changing)('%s: rejects Viewers', async (_name, call) => {
    const viewer = await app.as('viewer');
    await setUser(app, 'viewer@example.com', { role: 'Viewer' });
    const { status, body } = await call(viewer, id);
    expect([status, body.code]).toEqual([403, 'not_allowed']);
    expect(await idsOf(viewer)).toEqual([]);
  });

  test('lets Viewers read and export their own', async () => {
    const eve = await app.as('eve');
    const own = await createAssistant(eve);
    await setUser(app, 'eve@example.com', { role: 'Viewer' });
    expect(await idsOf(eve)).toEqual([own]);
    expect((await eve.get(`/api/assistants/${own}/export`)).status).toBe(200);
    expect((await eve.delete(`/api/assistants/${own}`)).status).toBe(403);
  });

  test('gives administrators no access to other users’ assistants', async () => {
    const bob = await app.as('bob');
    const theirs = await createAssistant(bob, { name: 'Private' });
    for (const [, call] of onOne) expect((await call(ada, theirs)).status).toBe(404);
  });
});
