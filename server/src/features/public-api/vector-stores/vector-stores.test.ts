import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { fileOf, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { filesIn, makeDue, storesOf, untilIndexed } from '#server/testing/knowledge';
import { conforming } from '#server/testing/openai-schema';
import { until } from '#server/testing/until';
import { atProvider, fileClient, whileIndexing } from '#server/testing/vector-stores';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

const path = '/v1/vector_stores';
const quick = { pollIntervalMs: 20 };

describe.each(engines)('API vector stores on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function someone() {
    const { visitor, key } = await app.someone();
    return { visitor, key, ...(await fileClient(app, visitor)) };
  }
  const send = async (client: OpenAI, ...names: string[]) => {
    const ids: string[] = [];
    for (const name of names)
      ids.push((await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'assistants' })).id);
    return ids;
  };
  const collected = async <Item>(pages: AsyncIterable<Item>) => {
    const all: Item[] = [];
    for await (const one of pages) all.push(one);
    return all;
  };
  const isDone = (client: OpenAI, id: string) =>
    whileIndexing(
      app,
      until('The end of indexing', async () => {
        const store = await client.vectorStores.retrieve(id);
        return store.status === 'completed' && store;
      }),
    );

  test('creates, fills, changes and deletes stores, at the provider too', async () => {
    const { visitor, key, client } = await someone();
    const file_ids = await send(client, 'a.md', 'b.txt', 'c.csv');
    const store = await client.vectorStores.create({
      name: 'Handbook',
      description: 'All of it',
      file_ids,
      metadata: { team: 'a' },
      expires_after: { anchor: 'last_active_at', days: 7 },
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 } },
    });
    conforming('VectorStoreObject', store);
    expect(store).toMatchObject({
      id: expect.stringMatching(/^vs_[0-9A-Za-e]{24}$/),
      name: 'Handbook',
      status: 'in_progress',
      // A file that can never be searched is known at once.
      file_counts: { in_progress: 2, failed: 1, total: 3 },
      metadata: { team: 'a' },
      expires_at: (store.last_active_at ?? 0) + 7 * 86_400,
    });
    const done = await isDone(client, store.id);
    expect(conforming('VectorStoreObject', done)).toMatchObject({
      file_counts: { completed: 2, failed: 1, total: 3 },
      usage_bytes: 'a.md'.length + 'b.txt'.length,
    });
    const [there] = await storesOf(app, key);
    const { body } = await atProvider(app, key, `/vector_stores/${there?.id}/files`);
    expect(body.data).toMatchObject([{ chunking_strategy: { static: { max_chunk_size_tokens: 200 } } }, {}]);
    expect(await client.vectorStores.update(store.id, { name: 'New', metadata: { team: 'b' } })).toMatchObject({
      name: 'New',
      metadata: { team: 'b' },
      expires_after: { days: 7 },
    });
    const changed = await client.vectorStores.update(store.id, { expires_after: null });
    expect(conforming('VectorStoreObject', changed).expires_at).toBeNull();
    const [stored] = (await visitor.get('/api/files')).body;
    expect(stored.usedBy).toBe(1);
    conforming('DeleteVectorStoreResponse', await client.vectorStores.delete(store.id));
    await expect(client.vectorStores.retrieve(store.id)).rejects.toMatchObject({
      status: 404,
      message: `404 No vector store found with id '${store.id}'.`,
    });
    await until('The removal at the provider', async () => (await storesOf(app, key)).length === 0);
    expect((await fileOf(visitor, stored.id))?.usedBy).toBe(0);
  });

  test('lists from either end and in pages, including what assistants know', async () => {
    const { visitor, client, token } = await someone();
    for (const name of ['a', 'b', 'c']) await client.vectorStores.create({ name });
    const assistantId = await createAssistant(visitor, { name: 'Tutor' });
    const { id } = await uploaded(app, visitor, { filename: 'known.md' });
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [id] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const names = async (query: OpenAI.VectorStoreListParams) =>
      (await collected(client.vectorStores.list(query))).map(({ name }) => name);
    expect(await names({ limit: 1 })).toEqual(['Tutor', 'c', 'b', 'a']);
    expect(await names({ order: 'asc', limit: 3 })).toEqual(['a', 'b', 'c', 'Tutor']);
    const { body } = await callApi(app, token, `${path}?limit=2`);
    conforming('ListVectorStoresResponse', body);
    expect(body).toMatchObject({ has_more: true, first_id: body.data[0].id, last_id: body.data[1].id });
    const before = await callApi(app, token, `${path}?order=asc&before=${body.last_id}`);
    expect(before.body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const nearest = await callApi(app, token, `${path}?order=asc&limit=1&before=${body.last_id}`);
    expect(nearest.body).toMatchObject({ data: [{ name: 'b' }], has_more: true });
    // It is read like any other, and changes with its assistant.
    const storeId = body.first_id;
    const [file] = await collected(client.vectorStores.files.list(storeId));
    expect(conforming('VectorStoreFileObject', file)).toMatchObject({ status: 'completed', vector_store_id: storeId });
    expect((await client.vectorStores.search(storeId, { query: 'What?' })).data).toMatchObject([
      { file_id: file?.id, filename: 'known.md' },
    ]);
    await expect(client.vectorStores.delete(storeId)).rejects.toMatchObject({
      status: 400,
      code: 'vector_store_of_assistant',
    });
    await expect(client.vectorStores.update(storeId, { name: 'x' })).rejects.toMatchObject({ status: 400 });
    await expect(client.vectorStores.files.create(storeId, { file_id: file?.id ?? '' })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('takes files one by one, which the official client’s helpers await', async () => {
    const { client, key } = await someone();
    const store = await client.vectorStores.create({});
    expect(store).toMatchObject({ name: '', status: 'completed', file_counts: { total: 0 } });
    const [first, table] = await send(client, 'a.md', 'b.xlsx');
    const attributes = { year: 2025, draft: true, by: 'Ada' };
    const done = await whileIndexing(
      app,
      client.vectorStores.files.createAndPoll(store.id, { file_id: first ?? '', attributes }, quick),
    );
    expect(conforming('VectorStoreFileObject', done)).toMatchObject({
      id: first,
      status: 'completed',
      last_error: null,
      attributes,
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 800 } },
    });
    const [there] = await storesOf(app, key);
    expect(await filesIn(app, key, there?.id ?? '')).toMatchObject([{ attributes }]);
    const failed = await client.vectorStores.files.createAndPoll(store.id, { file_id: table ?? '' }, quick);
    expect(conforming('VectorStoreFileObject', failed)).toMatchObject({
      status: 'failed',
      last_error: { code: 'unsupported_file', message: expect.stringContaining('cannot be searched') },
    });
    const statuses = async (filter: OpenAI.VectorStores.FileListParams['filter']) =>
      (await collected(client.vectorStores.files.list(store.id, filter ? { filter } : {}))).map(({ id }) => id);
    expect(await statuses(undefined)).toEqual([table, first]);
    expect([await statuses('completed'), await statuses('failed'), await statuses('cancelled')]).toEqual([
      [first],
      [table],
      [],
    ]);
    const changed = await client.vectorStores.files.update(first ?? '', {
      vector_store_id: store.id,
      attributes: { year: 2026 },
    });
    expect(changed.attributes).toEqual({ year: 2026 });
    expect(await filesIn(app, key, there?.id ?? '')).toMatchObject([{ attributes: { year: 2026 } }]);
    const [page] = await collected(client.vectorStores.files.content(first ?? '', { vector_store_id: store.id }));
    expect(page).toEqual({ type: 'text', text: 'The text of a.md.' });
    const deletion = await client.vectorStores.files.delete(first ?? '', { vector_store_id: store.id });
    conforming('DeleteVectorStoreFileResponse', deletion);
    await expect(client.vectorStores.files.retrieve(first ?? '', { vector_store_id: store.id })).rejects.toMatchObject({
      status: 404,
    });
    await until('The taking out', async () => (await filesIn(app, key, there?.id ?? '')).length === 0);
    expect(await client.files.retrieve(first ?? '')).toMatchObject({ id: first });
  });

  test('loses a deleted file, and can be emptied while it is listed', async () => {
    const { client, visitor } = await someone();
    const file_ids = await send(client, 'a.md', 'b.md', 'c.md', 'd.md');
    const { id } = await client.vectorStores.create({ file_ids });
    await client.files.delete(file_ids[1] ?? '');
    expect((await client.vectorStores.retrieve(id)).file_counts.total).toBe(3);
    for await (const file of client.vectorStores.files.list(id, { limit: 1 }))
      await client.vectorStores.files.delete(file.id, { vector_store_id: id });
    expect((await client.vectorStores.retrieve(id)).file_counts.total).toBe(0);
    expect((await visitor.get('/api/files')).body.map(({ usedBy }: { usedBy: number }) => usedBy)).toEqual([0, 0, 0]);
  });

  test('takes a batch of files that the official client uploads and awaits', async () => {
    const { client, key, token } = await someone();
    const { id } = await client.vectorStores.create({ name: 'Batches' });
    const files = await Promise.all(
      Array.from({ length: 7 }, (_, number) => toFile(Buffer.from(`text ${number}`), `f${number}.md`)),
    );
    const batch = await whileIndexing(app, client.vectorStores.fileBatches.uploadAndPoll(id, { files }, quick));
    expect(conforming('VectorStoreFileBatchObject', batch)).toMatchObject({
      status: 'completed',
      vector_store_id: id,
      file_counts: { completed: 7, total: 7 },
    });
    const [there] = await storesOf(app, key);
    expect(await filesIn(app, key, there?.id ?? '')).toHaveLength(7);
    const listed = await callApi(app, token, `${path}/${id}/file_batches/${batch.id}/files?limit=3&filter=completed`);
    conforming('ListVectorStoreFilesResponse', listed.body);
    expect([listed.body.data.length, listed.body.has_more]).toEqual([3, true]);
    const all = await collected(client.vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: id, limit: 3 }));
    expect(new Set(all.map((file) => file.id)).size).toBe(7);
    // Each with its own settings.
    const [one, two] = await send(client, 'x.md', 'y.md');
    const second = await whileIndexing(
      app,
      client.vectorStores.fileBatches.createAndPoll(
        id,
        { files: [{ file_id: one ?? '', attributes: { n: 1 } }, { file_id: two ?? '' }] },
        quick,
      ),
    );
    expect(second.file_counts).toMatchObject({ completed: 2, total: 2 });
    expect((await client.vectorStores.files.retrieve(one ?? '', { vector_store_id: id })).attributes).toEqual({ n: 1 });
    expect((await client.vectorStores.retrieve(id)).file_counts.total).toBe(9);
    const bad = await callApi(app, token, `${path}/${id}/file_batches`, { method: 'POST', body: {} });
    expect([bad.status, bad.body.error.param]).toEqual([400, 'file_ids']);
  });

  test('tells clients when to poll, until nothing more is due', async () => {
    const { client } = await someone();
    const [file = ''] = await send(client, 'a.md');
    const { id: vector_store_id } = await client.vectorStores.create({});
    const { id: batch } = await client.vectorStores.fileBatches.create(vector_store_id, { file_ids: [file] });
    const expiryTimes = async () => {
      const { files, fileBatches } = client.vectorStores;
      const one = await files.retrieve(file, { vector_store_id }).withResponse();
      const all = await fileBatches.retrieve(batch, { vector_store_id }).withResponse();
      return [one, all].map(({ response }) => response.headers.get('openai-poll-after-ms'));
    };
    const soon = expect.stringMatching(/^[5-9]\d\d$/);
    expect(await expiryTimes()).toEqual([soon, soon]);
    await isDone(client, vector_store_id);
    expect(await expiryTimes()).toEqual([null, null]);
  });

  test('keeps what was indexed when a batch is cancelled, and nothing else at the provider', async () => {
    const { client, key } = await someone();
    const [first, second] = await send(client, 'a.md', 'b.md');
    const { id } = await client.vectorStores.create({ file_ids: [first ?? ''] });
    await isDone(client, id);
    const { id: batch } = await client.vectorStores.fileBatches.create(id, { file_ids: [first ?? '', second ?? ''] });
    const [there] = await storesOf(app, key);
    await until('The second file', async () => (await filesIn(app, key, there?.id ?? '')).length === 2);
    const cancelled = await client.vectorStores.fileBatches.cancel(batch, { vector_store_id: id });
    expect(conforming('VectorStoreFileBatchObject', cancelled)).toMatchObject({
      status: 'cancelled',
      file_counts: { completed: 1, cancelled: 1, in_progress: 0, total: 2 },
    });
    await until('The taking out', async () => {
      await makeDue(app);
      return (await filesIn(app, key, there?.id ?? '')).length === 1;
    });
    // Added again, it is indexed after all.
    const again = client.vectorStores.files.createAndPoll(id, { file_id: second ?? '' }, quick);
    expect((await whileIndexing(app, again)).status).toBe('completed');
  });

  test('searches at the provider with the client’s options, and answers with Roster’s ids', async () => {
    const { client, key, visitor } = await someone();
    const ids = await send(client, 'a.md', 'b.md', 'c.md');
    const { id } = await client.vectorStores.create({ name: 'Searched' });
    expect((await client.vectorStores.search(id, { query: 'Nothing yet?' })).data).toEqual([]);
    const files = ids.map((file_id, number) => ({ file_id, attributes: { number } }));
    await whileIndexing(app, client.vectorStores.fileBatches.createAndPoll(id, { files }, quick));
    const found = await client.vectorStores.search(id, {
      query: ['What?', 'Why?'],
      filters: {
        type: 'and',
        filters: [
          { type: 'gte', key: 'number', value: 1 },
          { type: 'nin', key: 'number', value: [7] },
        ],
      },
      max_num_results: 1,
      ranking_options: { ranker: 'auto', score_threshold: 0.1 },
      rewrite_query: true,
    });
    expect(found.data).toEqual([
      {
        file_id: ids[1],
        filename: 'b.md',
        score: expect.any(Number),
        attributes: { number: 1 },
        content: [{ type: 'text', text: 'A passage of b.md.' }],
      },
    ]);
    const { token } = await fileClient(app, visitor);
    const { body } = await callApi(app, token, `${path}/${id}/search`, { method: 'POST', body: { query: 'What?' } });
    expect(conforming('VectorStoreSearchResultsPage', body).search_query).toEqual(['What?']);
    // A removed file is not reported, even while the provider still has it.
    await withFault(app, { fail: 'server_error' }, { method: 'DELETE', key }, async () => {
      await client.vectorStores.files.delete(ids[0] ?? '', { vector_store_id: id });
      const { data } = await client.vectorStores.search(id, { query: 'What?' });
      expect(data.map(({ filename }) => filename)).toEqual(['b.md', 'c.md']);
    });
    for (const [fault, status, code] of [
      [{ fail: 'server_error' }, 502, 'provider_unavailable'],
      [{ fail: 'rate_limit' }, 429, 'rate_limit_exceeded'],
      [{ disconnect: true }, 502, 'provider_unreachable'],
      [{ status: 200, body: '{"data":1}' }, 502, 'provider_unavailable'],
    ] as const)
      await withFault(app, fault, { path: '/vector_stores/*', method: 'POST', key }, async () => {
        await expect(client.vectorStores.search(id, { query: 'What?' })).rejects.toMatchObject({ status, code });
      });
    // The provider lacks the store: the search says so, and the store is made again.
    const [there] = await storesOf(app, key);
    await atProvider(app, key, `/vector_stores/${there?.id}`, 'DELETE');
    await expect(client.vectorStores.search(id, { query: 'What?' })).rejects.toMatchObject({ status: 503 });
    await whileIndexing(
      app,
      until('The new store', async () => (await storesOf(app, key)).length === 1),
    );
    await whileIndexing(
      app,
      until('A result', async () => {
        const page = await client.vectorStores.search(id, { query: 'What?' }).catch(() => undefined);
        return page?.data.length === 2;
      }),
    );
  });

  test('hides stores and files from other users', async () => {
    const [ada, bob] = [await someone(), await someone()];
    const [file] = await send(ada.client, 'a.md');
    const { id } = await ada.client.vectorStores.create({ file_ids: [file ?? ''] });
    const batch = await ada.client.vectorStores.fileBatches.create(id, { file_ids: [file ?? ''] });
    const [own] = await send(bob.client, 'b.md');
    const { id: bobs } = await bob.client.vectorStores.create({});
    for (const store of [id, 'vs_doesNotExist', `vs_${'0'.repeat(24)}`]) {
      const message = `No vector store found with id '${store}'.`;
      const at = `${path}/${store}`;
      const calls: [string, 'GET' | 'POST' | 'DELETE', unknown?][] = [
        [at, 'GET'],
        [at, 'POST', { name: 'x' }],
        [at, 'DELETE'],
        [`${at}/search`, 'POST', { query: 'x' }],
        [`${at}/files`, 'GET'],
        [`${at}/files`, 'POST', { file_id: own }],
        [`${at}/files/${file}`, 'GET'],
        [`${at}/files/${file}`, 'POST', { attributes: {} }],
        [`${at}/files/${file}`, 'DELETE'],
        [`${at}/files/${file}/content`, 'GET'],
        [`${at}/file_batches`, 'POST', { file_ids: [own] }],
        [`${at}/file_batches/${batch.id}`, 'GET'],
        [`${at}/file_batches/${batch.id}/cancel`, 'POST'],
        [`${at}/file_batches/${batch.id}/files`, 'GET'],
      ];
      for (const [address, method, body] of calls) {
        const answer = await callApi(app, bob.token, address, { method, ...(body !== undefined && { body }) });
        expect([answer.status, answer.body.error.message], `${method} ${address}`).toEqual([404, message]);
      }
    }
    for (const [address, body] of [
      [`${path}/${bobs}/files`, { file_id: file }],
      [`${path}/${bobs}/file_batches`, { file_ids: [own, file] }],
      [path, { file_ids: [file] }],
    ] as const) {
      const answer = await callApi(app, bob.token, address, { method: 'POST', body });
      expect([answer.status, answer.body.error.message]).toEqual([404, `No such File object: ${file}`]);
    }
    expect((await bob.client.vectorStores.list()).data).toMatchObject([{ id: bobs, file_counts: { total: 0 } }]);
  });

  test.each([
    ['an unknown field', { colour: 'red' }, 'colour', /^Unknown parameter: 'colour'\.$/],
    ['more metadata than there may be', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a', /512/],
    [
      'a life of more than a year',
      { expires_after: { anchor: 'last_active_at', days: 366 } },
      'expires_after.days',
      /./,
    ],
    [
      'pieces that overlap too much',
      { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 } } },
      'chunking_strategy.static',
      /half/,
    ],
    ['too many files', { file_ids: Array.from({ length: 501 }, () => 'file-x') }, 'file_ids', /./],
  ])('refuses a request with %s', async (_what, body, param, message) => {
    const { token, client } = await someone();
    const answer = await callApi(app, token, path, { method: 'POST', body });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.objectContaining({ param, message: expect.stringMatching(message) }),
    ]);
    expect((await client.vectorStores.list()).data).toEqual([]);
  });

  test('expires on request: deleted at the provider, and reported as expired', async () => {
    const { client, key, token } = await someone();
    const [file] = await send(client, 'a.md');
    const { id } = await client.vectorStores.create({
      file_ids: [file ?? ''],
      expires_after: { anchor: 'last_active_at', days: 1 },
    });
    await isDone(client, id);
    await withDatabase(app, (db) =>
      db
        .updateTable('program_vector_stores')
        .set({ expires_at: new Date(0).toISOString() })
        .where('expires_at', 'is not', null)
        .execute(),
    );
    expect(conforming('VectorStoreObject', await client.vectorStores.retrieve(id)).status).toBe('expired');
    await expect(client.vectorStores.search(id, { query: 'x' })).rejects.toMatchObject({
      status: 400,
      code: 'vector_store_expired',
    });
    await expect(client.vectorStores.files.create(id, { file_id: file ?? '' })).rejects.toMatchObject({ status: 400 });
    await app.restart();
    await until('The removal at the provider', async () => (await storesOf(app, key)).length === 0);
    const { data } = (await callApi(app, token, path)).body;
    expect(data).toMatchObject([{ id, status: 'expired' }]);
    expect((await callApi(app, token, `${path}/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await callApi(app, token, path)).body.data).toEqual([]);
  });

  test('requires a provider key, and retries with the next one what failed without', async () => {
    const visitor = await app.as(`keyless-${engine}`);
    const { client, token } = await fileClient(app, visitor);
    const [file] = await send(client, 'a.md');
    const refused = await callApi(app, token, path, { method: 'POST', body: { file_ids: [file] } });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'no_provider_key']);
    expect((await client.vectorStores.list()).data).toEqual([]);
    const apiKey = `sk-late-${engine}-${'k'.repeat(32)}`;
    await visitor.post('/api/settings/apikey', { apiKey });
    const id = await withFault(app, { fail: 'invalid_api_key' }, { path: '/vector_stores*', key: apiKey }, async () => {
      const store = await client.vectorStores.create({ file_ids: [file ?? ''] });
      const failed = await whileIndexing(app, client.vectorStores.files.poll(store.id, file ?? '', quick));
      expect(failed).toMatchObject({
        status: 'failed',
        last_error: { code: 'server_error', message: expect.stringContaining('rejected') },
      });
      return store.id;
    });
    await visitor.post('/api/settings/apikey', { apiKey });
    expect((await isDone(client, id)).file_counts).toMatchObject({ completed: 1, failed: 0 });
  });

  test('fills each store once after trouble at the provider', async () => {
    const { client, key } = await someone();
    const [file] = await send(client, 'a.md');
    let id = '';
    await withFault(app, { disconnect: true }, { path: '/vector_stores*', key }, async () => {
      ({ id } = await client.vectorStores.create({ file_ids: [file ?? ''] }));
      await until('A try', () =>
        withDatabase(app, async (db) => {
          const rows = await db.selectFrom('vector_stores').select('error').where('error', 'is not', null).execute();
          return rows.length > 0;
        }),
      );
      expect((await client.vectorStores.retrieve(id)).status).toBe('in_progress');
    });
    await isDone(client, id);
    expect(await storesOf(app, key)).toHaveLength(1);
  });

  test('exports file names, and deletes stores with the account, at the provider too', async () => {
    const { client, key, visitor } = await someone();
    const [file] = await send(client, 'a.md');
    const { id } = await client.vectorStores.create({ name: 'Exported', file_ids: [file ?? ''], metadata: { a: 'b' } });
    await isDone(client, id);
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const lines = jsonLines(unzip(Buffer.from(await body.arrayBuffer())).get('vector-stores.jsonl'));
    expect(lines).toMatchObject([
      { name: 'Exported', metadata: { a: 'b' }, files: [{ filename: 'a.md', status: 'completed', attributes: {} }] },
    ]);
    expect((await closed(visitor)).status).toBe(204);
    expect(await storesOf(app, key)).toEqual([]);
    const left = await withDatabase(app, (db) => db.selectFrom('program_vector_stores').select('name').execute());
    expect(left).not.toContainEqual({ name: 'Exported' });
  });
  const closed = (visitor: HttpClient) => visitor.delete('/api/user', { password, removeAtProvider: true });
});

test('reports a provider without vector stores in the first files, then refuses calls', async () => {
  const app = await startApp('sqlite', { simulator: { without: ['vector_stores'] } });
  try {
    const visitor = await app.withKey('ada');
    const { client } = await fileClient(app, visitor);
    const file = await client.files.create({ file: await toFile(Buffer.from('x'), 'a.md'), purpose: 'assistants' });
    const store = await client.vectorStores.create({ file_ids: [file.id] });
    const failed = await whileIndexing(app, client.vectorStores.files.poll(store.id, file.id, quick));
    expect(failed.last_error).toEqual({ code: 'server_error', message: 'OpenAI has no vector stores.' });
    await expect(client.vectorStores.create({})).rejects.toMatchObject({
      status: 400,
      code: 'vector_stores_not_served',
    });
    expect((await client.vectorStores.list()).data).toHaveLength(1);
    // A message may still attach a file for file_search: the model gets it with the message.
    const { token } = await newToken(visitor);
    const attachments = [{ file_id: file.id, tools: [{ type: 'file_search' }] }];
    const { body: thread } = await callApi(app, token, '/v1/threads', {
      method: 'POST',
      headers: { 'openai-beta': 'assistants=v2' },
      body: { messages: [{ role: 'user', content: 'What?', attachments }] },
    });
    expect([thread.object, thread.tool_resources]).toEqual(['thread', {}]);
    expect((await client.vectorStores.list()).data).toHaveLength(1);
    await client.vectorStores.delete(store.id);
  } finally {
    await app.stop();
  }
});
