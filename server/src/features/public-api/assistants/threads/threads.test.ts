import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { messagesOf, newThread } from '#server/testing/chat';
import { setUser } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { conforming } from '#server/testing/openai-schema';
import { beginDownload, unzip } from '#server/testing/zip';

const beta = { 'openai-beta': 'assistants=v2' };

describe.each(engines)('API threads on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let token: string;
  let client: OpenAI;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    ({ token } = await newToken(ada, { name: 'Helpdesk', rights: ['chat'] }));
    client = clientOf(token);
  });
  afterAll(() => app.stop());

  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const send = (path: string, body: unknown) => callApi(app, token, path, { method: 'POST', body, headers: beta });
  const titles = async (query = '') =>
    (await ada.get(`/api/threads${query}`)).body.items.map(({ title }: { title: string }) => title);

  test('creates, reads, changes and deletes threads', async () => {
    const made = conforming('ThreadObject', await client.beta.threads.create({ metadata: { ticket: '17' } }));
    expect(made).toEqual({
      id: expect.stringMatching(/^thread_\w{24}$/),
      object: 'thread',
      created_at: expect.any(Number),
      metadata: { ticket: '17' },
      tool_resources: {},
    });
    expect(await client.beta.threads.retrieve(made.id)).toEqual(made);
    const changed = conforming(
      'ThreadObject',
      await client.beta.threads.update(made.id, { metadata: { ticket: '18' } }),
    );
    expect(changed).toEqual({ ...made, metadata: { ticket: '18' } });
    // Omitted fields stay unchanged.
    expect(await client.beta.threads.update(made.id, {})).toEqual(changed);
    expect(await client.beta.threads.update(made.id, { metadata: null })).toEqual({ ...made, metadata: {} });
    expect(conforming('DeleteThreadResponse', await client.beta.threads.delete(made.id))).toEqual({
      id: made.id,
      object: 'thread.deleted',
      deleted: true,
    });
    await expect(client.beta.threads.retrieve(made.id)).rejects.toThrow(`No thread found with id '${made.id}'.`);
    await expect(client.beta.threads.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('marks conversations with their token: listed apart, found, exported and deleted as usual', async () => {
    const own = await newThread(ada, { title: 'My own' });
    const { id } = await client.beta.threads.create({
      messages: [
        { role: 'user', content: 'The printer on floor three is jammed' },
        { role: 'user', content: 'And it smells of zebra' },
      ],
    });
    expect(await titles()).not.toContain('The printer on floor three is jammed');
    expect(await titles('?programs=true')).toContain('The printer on floor three is jammed');
    expect(await titles('?programs=true')).not.toContain('My own');
    const found = (await ada.get('/api/threads?q=zebra')).body.items;
    expect(found).toMatchObject([{ madeBy: 'Helpdesk', match: { snippet: expect.stringContaining('zebra') } }]);
    expect((await ada.get('/api/threads?q=zebra&programs=false')).body.items).toEqual([]);
    expect((await ada.get(`/api/threads/${own}`)).body.madeBy).toBeNull();

    const exported = (await ada.get(`/api/threads/${found[0].id}/export?format=json`)).body;
    expect(exported.thread).toMatchObject({ madeBy: 'Helpdesk' });
    expect((await messagesOf(ada, found[0].id)).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'The printer on floor three is jammed'],
      ['user', 'And it smells of zebra'],
    ]);
    // A revoked token that has created something keeps its name.
    const tokens = (await ada.get('/api/access-tokens')).body;
    const { token: other } = await newToken(ada, { name: 'Second', rights: ['chat'] });
    await clientOf(other).beta.threads.create({ messages: [{ role: 'user', content: 'Of the second' }] });
    const second = (await ada.get('/api/access-tokens')).body.find(({ name }: { name: string }) => name === 'Second');
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['Helpdesk']);
    expect((await ada.delete(`/api/access-tokens/${second.id}`)).status).toBe(204);
    expect((await ada.get('/api/threads?q=second')).body.items).toMatchObject([{ madeBy: 'Second' }]);

    expect((await ada.delete(`/api/threads/${found[0].id}`)).status).toBe(204);
    await expect(client.beta.threads.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.beta.threads.messages.list(id)).rejects.toThrow(`No thread found with id '${id}'.`);
    await expect(client.beta.threads.messages.create(id, { role: 'user', content: 'Late' })).rejects.toThrow(
      `No thread found with id '${id}'.`,
    );
  });

  test('stores tool resources that belong to the owner', async () => {
    const { id: fileId } = (await callApi(app, (await newToken(ada)).token, '/v1/files')).body.data[0] ?? {
      id: undefined,
    };
    expect(fileId).toBeUndefined();
    await uploaded(app, ada, { filename: 'table.csv', content: 'a,b\n1,2\n' });
    const { token: files } = await newToken(ada, { rights: ['files'] });
    const [{ id: file }] = (await callApi(app, files, '/v1/files')).body.data;
    const resources = { code_interpreter: { file_ids: [file] } };
    const made = await client.beta.threads.create({ tool_resources: resources });
    expect(conforming('ThreadObject', made).tool_resources).toEqual(resources);
    expect((await client.beta.threads.update(made.id, { tool_resources: {} })).tool_resources).toEqual({});
    for (const tool_resources of [
      { code_interpreter: { file_ids: [`file-${'0'.repeat(24)}`] } },
      { file_search: { vector_store_ids: ['vs_nothing'] } },
    ])
      expect((await send('/v1/threads', { tool_resources })).body.error.message).toMatch(
        /^No (file|vector store) found with id/,
      );
    const along = await client.beta.threads.create({
      tool_resources: { file_search: { vector_stores: [{ file_ids: [file], metadata: { of: 'thread' } }] } },
    });
    const [store = ''] = along.tool_resources?.file_search?.vector_store_ids ?? [];
    expect((await callApi(app, files, `/v1/vector_stores/${store}`)).body).toMatchObject({
      metadata: { of: 'thread' },
    });
    // A refused thread leaves no store behind.
    const storesNow = async () => (await callApi(app, files, '/v1/vector_stores')).body.data.length;
    const before = await storesNow();
    const ofNoFile = await send('/v1/threads', {
      tool_resources: { file_search: { vector_stores: [{ file_ids: [file] }] } },
      messages: [
        { role: 'user', content: 'x', attachments: [{ file_id: 'file-x', tools: [{ type: 'file_search' }] }] },
      ],
    });
    expect([ofNoFile.status, await storesNow()]).toEqual([404, before]);
    const both = { file_search: { vector_store_ids: [store], vector_stores: [{}] } };
    const refused = await send('/v1/threads', { tool_resources: both });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'tool_resources.file_search']);
    // Another user's store is not found.
    const { token: foreign } = await newToken(await app.withKey('zed'));
    const theirs = { file_search: { vector_store_ids: [store] } };
    const zeds = await callApi(app, foreign, '/v1/threads', {
      method: 'POST',
      body: { tool_resources: theirs },
      headers: beta,
    });
    expect([zeds.status, zeds.body.error.message]).toEqual([404, `No vector store found with id '${store}'.`]);
  });

  test.each<[unknown, string | null]>([
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, ''])) }, 'metadata'],
    [{ metadata: { ['k'.repeat(65)]: '' } }, `metadata.${'k'.repeat(65)}`],
    [{ metadata: { key: 'v'.repeat(513) } }, 'metadata.key'],
    [{ metadata: { key: 1 } }, 'metadata.key'],
    [{ messages: Array(101).fill({ role: 'user', content: 'x' }) }, 'messages'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'user', content: 'x', name: 'x' }] }, 'messages.0.name'],
    [{ model: 'gpt-4o' }, 'model'],
    [
      { tool_resources: { file_search: { vector_store_ids: ['vs_1', 'vs_2'] } } },
      'tool_resources.file_search.vector_store_ids',
    ],
    [{ tool_resources: { web_search: {} } }, 'tool_resources.web_search'],
    ['[]', null],
  ])('refuses to create one from %j', async (body, param) => {
    const { status, body: answer } = await send('/v1/threads', body);
    expect([status, answer.error.type, answer.error.param]).toEqual([400, 'invalid_request_error', param]);
  });

  test('accepts values up to their limits', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [`${index}`.padEnd(64, 'k'), 'v'.repeat(512)]),
    );
    const messages = Array.from({ length: 100 }, (_, index) => ({ role: 'user' as const, content: String(index) }));
    const made = await client.beta.threads.create({ metadata, messages });
    expect(made.metadata).toEqual(metadata);
    const all = [];
    for await (const message of client.beta.threads.messages.list(made.id, { limit: 30, order: 'asc' }))
      all.push(message.content[0]);
    expect(all).toEqual(messages.map(({ content }) => ({ type: 'text', text: { value: content, annotations: [] } })));
  });

  test('requires the header of the Assistants API', async () => {
    const { status, body } = await callApi(app, token, '/v1/threads', { method: 'POST', body: {} });
    expect([status, body.error.code]).toEqual([400, 'invalid_beta']);
  });

  test('hides other users’ and internal threads, and rejects malformed ids', async () => {
    const bob = await app.withKey('bob');
    const bobs = clientOf((await newToken(bob)).token);
    const { id } = await client.beta.threads.create({ messages: [{ role: 'user', content: 'Private' }] });
    const [message] = (await client.beta.threads.messages.list(id)).data;
    const unknown = `No thread found with id '${id}'.`;
    const messageId = String(message?.id);
    for (const attempt of [
      () => bobs.beta.threads.retrieve(id),
      () => bobs.beta.threads.update(id, { metadata: { mine: 'yes' } }),
      () => bobs.beta.threads.delete(id),
      () => bobs.beta.threads.messages.list(id),
      () => bobs.beta.threads.messages.create(id, { role: 'user', content: 'x' }),
      () => bobs.beta.threads.messages.retrieve(messageId, { thread_id: id }),
      () => bobs.beta.threads.messages.update(messageId, { thread_id: id, metadata: {} }),
      () => bobs.beta.threads.messages.delete(messageId, { thread_id: id }),
    ])
      await expect(attempt()).rejects.toThrow(unknown);
    // A message is not found in another thread of the same user.
    const { id: otherId } = await bobs.beta.threads.create();
    await expect(bobs.beta.threads.messages.retrieve(messageId, { thread_id: otherId })).rejects.toThrow(
      `No message found with id '${messageId}'.`,
    );
    await expect(bobs.beta.threads.messages.delete(messageId, { thread_id: otherId })).rejects.toThrow(
      `No message found with id '${messageId}'.`,
    );
    for (const nothing of [id.replace('thread_', 'msg_'), `${id}0`, 'thread_', 'thread_abc', '%00'])
      expect((await callApi(app, token, `/v1/threads/${nothing}`, { headers: beta })).status).toBeGreaterThanOrEqual(
        400,
      );
    expect((await client.beta.threads.retrieve(id)).id).toBe(id);
  });

  test('allows Viewers, and deletes threads with the account', async () => {
    const cleo = await app.withKey('cleo');
    const cleos = clientOf((await newToken(cleo, { rights: ['chat', 'assistants', 'files'] })).token);
    const { body: me } = await cleo.get('/api/user');
    await setUser(app, me.email, { role: 'Viewer' });
    const { id } = await cleos.beta.threads.create({ messages: [{ role: 'user', content: 'As a Viewer' }] });
    expect((await cleos.beta.threads.retrieve(id)).id).toBe(id);
    expect((await cleo.delete('/api/user', { password: 'correct horse battery' })).status).toBe(204);
    await expect(cleos.beta.threads.retrieve(id)).rejects.toMatchObject({ status: 401 });
    await expect(client.beta.threads.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  test('exports threads with what their client has written', async () => {
    const { visitor } = await app.someone();
    const own = clientOf((await newToken(visitor)).token);
    const { id: store } = await own.vectorStores.create({ name: 'Notes' });
    const resources = { file_search: { vector_store_ids: [store] } };
    await own.beta.threads.create({
      metadata: { ticket: '17' },
      tool_resources: resources,
      messages: [
        { role: 'user', content: 'Hello', metadata: { page: '3' } },
        { role: 'user', content: 'Anybody?' },
      ],
    });
    const [{ id }] = (await visitor.get('/api/threads?programs=true')).body.items;
    const one = await beginDownload(app, visitor, `/api/threads/${id}/export?format=json`);
    const conversation = JSON.parse(await one.body.text());
    expect(conversation.thread).toMatchObject({ metadata: { ticket: '17' }, toolResources: resources });
    expect(conversation.messages.map(({ metadata }: { metadata?: unknown }) => metadata)).toEqual([
      { page: '3' },
      undefined,
    ]);
    const all = await beginDownload(app, visitor, '/api/user/export');
    const files = unzip(Buffer.from(await all.body.arrayBuffer()));
    expect(JSON.parse(files.get(`conversations/${id}.json`) ?? '')).toEqual(conversation);
    // The user's own thread has no client data.
    const plain = await newThread(visitor);
    const { body } = await beginDownload(app, visitor, `/api/threads/${plain}/export?format=json`);
    const { thread } = JSON.parse(await body.text());
    expect(thread).not.toHaveProperty('metadata');
    expect(thread).not.toHaveProperty('toolResources');
  });
});
