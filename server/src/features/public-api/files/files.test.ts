import { connect } from 'node:net';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, callApi, newToken, tokensPath } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { form, formType, inStore, sha256, someBytes, untilCopy, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { bareRequest } from '#server/testing/test-environment';
import { until } from '#server/testing/until';

const path = '/v1/files';
const file = { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'Hello' };
const purpose = { name: 'purpose', content: 'assistants' };

describe.each(engines)('API files on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function newClient(visitor: HttpClient) {
    const { id, token } = await newToken(visitor, { rights: ['files'] });
    return { id, token, client: new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 }) };
  }
  const send = (token: string, parts: Parameters<typeof form>[0]) =>
    bareRequest(app, 'POST', path, { ...bearer(token), 'content-type': formType }, form(parts));
  const inProgress = () => withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').execute());

  test('uploads, awaits, reads and deletes the pages’ files by the official client', async () => {
    const { visitor } = await app.someone();
    const { client } = await newClient(visitor);
    const content = someBytes(3_000_000);
    const made = await client.files.create({ file: await toFile(content, 'Grüße.bin'), purpose: 'user_data' });
    expect(made).toEqual({
      id: expect.stringMatching(/^file-[0-9A-Za-e]{24}$/),
      object: 'file',
      bytes: 3_000_000,
      created_at: expect.any(Number),
      filename: 'Grüße.bin',
      purpose: 'user_data',
      // Depends on how far the provider's copy is by now.
      status: expect.stringMatching(/^(uploaded|processed)$/),
    });
    expect(await client.files.waitForProcessing(made.id, { pollInterval: 50 })).toEqual({
      ...made,
      status: 'processed',
    });
    const [listed] = (await visitor.get('/api/files')).body;
    expect(listed).toMatchObject({ filename: 'Grüße.bin', size: 3_000_000, purpose: 'user_data' });
    const answer = await client.files.content(made.id);
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(content));
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(await client.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
    expect((await visitor.get('/api/files')).body).toEqual([]);
    await expect(client.files.retrieve(made.id)).rejects.toMatchObject({
      status: 404,
      message: `404 No such File object: ${made.id}`,
      type: 'invalid_request_error',
      param: 'id',
    });
  });

  test('lists from either end, by purpose and in pages', async () => {
    const { visitor } = await app.someone();
    const { token, client } = await newClient(visitor);
    for (const filename of ['a', 'b', 'c']) await uploaded(app, visitor, { filename });
    await uploaded(app, visitor, { filename: 'd', purpose: 'user_data' });
    const names = async (query: OpenAI.FileListParams) => {
      const all: string[] = [];
      for await (const { filename } of client.files.list(query)) all.push(filename);
      return all;
    };
    expect(await names({})).toEqual(['d', 'c', 'b', 'a']);
    expect(await names({ order: 'asc', limit: 3 })).toEqual(['a', 'b', 'c', 'd']);
    expect(await names({ purpose: 'assistants', limit: 1 })).toEqual(['c', 'b', 'a']);
    expect(await names({ purpose: 'vision' })).toEqual(['d']);
    // Purposes that the provider's files can have, and Roster's never do.
    for (const none of ['assistants_output', 'batch', 'batch_output', 'fine-tune-results'])
      expect((await callApi(app, token, `${path}?purpose=${none}`)).body).toEqual({
        object: 'list',
        data: [],
        first_id: null,
        last_id: null,
        has_more: false,
      });
    const { body } = await callApi(app, token, `${path}?limit=2`);
    expect(body).toMatchObject({ object: 'list', has_more: true, first_id: body.data[0].id, last_id: body.data[1].id });
    // A page continues after a file even if it has been deleted.
    await client.files.delete(body.last_id);
    expect(await names({ after: body.last_id })).toEqual(['b', 'a']);
    for (const [query, param] of [
      ['limit=10001', 'limit'],
      ['order=up', 'order'],
      ['purpose=assistants_input', 'purpose'],
      ['purpose=', 'purpose'],
    ])
      expect((await callApi(app, token, `${path}?${query}`)).body.error).toMatchObject({ param });
  });

  test('accepts the provider’s id of a copy too, from its owner only', async () => {
    const [owner, other] = [await app.someone(), await app.someone()];
    const [{ client, token }, stranger] = [await newClient(owner.visitor), await newClient(other.visitor)];
    const { id } = await uploaded(app, owner.visitor, { filename: 'old.txt' });
    await untilCopy(owner.visitor, id, 'ready');
    const copy = await withDatabase(app, (db) =>
      db.selectFrom('provider_copies').selectAll().where('file_id', '=', id).executeTakeFirstOrThrow(),
    );
    const [theirs, ours] = [copy.provider_file_id ?? '', (await client.files.list()).data[0]?.id ?? ''];
    expect(await client.files.retrieve(theirs)).toMatchObject({ id: theirs, filename: 'old.txt' });
    expect(await (await client.files.content(theirs)).text()).toBe('Hello');
    expect((await client.files.list({ after: theirs })).data).toEqual([]);
    for (const one of [ours, theirs, 'file-doesNotExist00000000000', '%E0']) {
      const calls = [
        await callApi(app, stranger.token, `${path}/${one}`),
        await callApi(app, stranger.token, `${path}/${one}/content`),
        await callApi(app, stranger.token, `${path}/${one}`, { method: 'DELETE' }),
      ];
      if (one === '%E0') expect(calls.map(({ status }) => status)).toEqual([400, 400, 400]);
      else
        for (const { status, body } of calls)
          expect([status, body.error.message]).toEqual([404, `No such File object: ${one}`]);
    }
    expect((await callApi(app, stranger.token, `${path}?after=${theirs}`)).status).toBe(404);
    expect((await callApi(app, token, `${path}/${theirs}`, { method: 'DELETE' })).body).toMatchObject({ id: theirs });
    expect((await owner.visitor.get('/api/files')).body).toEqual([]);
  });

  test.each([
    ['without a file', [purpose], 'file', /select/],
    ['without a purpose', [file], 'purpose', /^Missing required parameter: 'purpose'\.$/],
    ['for batches', [{ ...purpose, content: 'batch' }, file], 'purpose', /assistants, user_data, fine-tune, vision/],
    [
      'that is to expire',
      [purpose, { name: 'expires_after[anchor]', content: 'created_at' }, file],
      'expires_after[anchor]',
      /do not expire/,
    ],
    ['with an unknown text', [purpose, { name: 'user', content: '1' }, file], 'user', /^Unknown parameter: 'user'\.$/],
    ['of nothing', [purpose, { ...file, content: '' }], 'file', /empty/],
    ['for training that is not JSONL', [{ ...purpose, content: 'fine-tune' }, file], 'file', /JSONL/],
  ])('refuses files %s, and leaves nothing behind', async (_what, parts, param, message) => {
    const { visitor } = await app.someone();
    const { token } = await newClient(visitor);
    const before = inStore(app).length;
    const { status, body } = await send(token, parts);
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ type: 'invalid_request_error', param, message: expect.stringMatching(message) }),
    ]);
    expect((await visitor.get('/api/files')).body).toEqual([]);
    await until('The removal of the bytes', async () => inStore(app).length <= before);
  });

  test('accepts only forms', async () => {
    const { visitor } = await app.someone();
    const { token } = await newClient(visitor);
    expect((await callApi(app, token, path, { method: 'POST', body: { purpose: 'assistants' } })).status).toBe(415);
    const chat = await newToken(visitor, { rights: ['chat'] });
    const headers = { ...bearer(chat.token), 'content-type': formType };
    expect((await bareRequest(app, 'POST', '/v1/chat/completions', headers, form([purpose]))).status).toBe(415);
  });

  test('queues files that a client sends at once', async () => {
    const { visitor } = await app.someone();
    const { client } = await newClient(visitor);
    const content = someBytes(400_000);
    const all = Array.from({ length: 8 }, async (_, index) =>
      client.files.create({ file: await toFile(content, `${index}.bin`), purpose: 'vision' }),
    );
    const names = (await Promise.all(all)).map((one) => [one.filename, one.purpose]);
    expect(names).toEqual(Array.from({ length: 8 }, (_, index) => [`${index}.bin`, 'user_data']));
  });

  test.each<[string, number, (visitor: HttpClient, tokenId: number, email: string) => Promise<unknown>]>([
    ['revoked', 401, (visitor, tokenId) => visitor.delete(`${tokensPath}/${tokenId}`)],
    ['of somebody inactive', 401, (_visitor, _token, email) => setUser(app, email, { status: 'Inactive' })],
    ['of a Viewer', 403, (_visitor, _token, email) => setUser(app, email, { role: 'Viewer' })],
  ])('stores none if the token is %s by the time that they have arrived', async (_what, status, end) => {
    const { visitor, email } = await app.someone();
    const { id, token } = await newClient(visitor);
    const before = inStore(app).length;
    const body = form([purpose, { ...file, content: 'x'.repeat(100_000) }]);
    const { hostname, port, host } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: ${formType}\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n`,
    );
    socket.write(body.subarray(0, 50_000));
    await until('The beginning of the upload', async () => (await inProgress()).length === 1);
    await end(visitor, id, email);
    socket.write(body.subarray(50_000));
    await closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*"type":"invalid_request_error"`));
    expect(await inProgress()).toEqual([]);
    await until('The removal of the bytes', async () => inStore(app).length <= before);
  });
});
