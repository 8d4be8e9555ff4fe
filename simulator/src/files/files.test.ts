import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { at, expectError, expectSchema, listAt, startedSimulator, textAt } from '../testing.ts';

describe('upload', () => {
  test('becomes a file', async () => {
    const { upload, get } = await startedSimulator();
    const { status, body } = await upload('Grüße\n', 'Größen.txt', 'user_data');
    expect(status).toBe(200);
    expectSchema('OpenAIFile', body);
    expect(body).toMatchObject({ filename: 'Größen.txt', bytes: 8, purpose: 'user_data', status: 'processed' });
    expect((await get(`/files/${textAt(body, 'id')}`)).body).toEqual(body);
  });

  test.each([
    ['with an unknown purpose', 'x', 'a.txt', 'fun', 400, { param: 'purpose' }],
    ['for training that is no .jsonl', 'x', 'a.txt', 'fine-tune', 400, { param: 'file' }],
    ['without content', '', 'a.txt', 'assistants', 400, { param: 'file' }],
    ['that is too large', 'x'.repeat(1_001), 'a.txt', 'assistants', 413, {}],
  ])('is rejected %s', async (_name, content, filename, purpose, status, error) => {
    const { upload, get } = await startedSimulator({ maxFileBytes: 1_000 });
    expectError(await upload(content, filename, purpose), status, error);
    expect((await get('/files')).body.data).toEqual([]);
  });

  test('is rejected without a purpose or a file', async () => {
    const { url, post } = await startedSimulator();
    const send = async (form: FormData) => {
      const response = await fetch(`${url}/files`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-x' },
        body: form,
      });
      return at(await response.json(), 'error', 'param');
    };
    const noPurpose = new FormData();
    noPurpose.set('file', new Blob(['x']), 'a.txt');
    const noFile = new FormData();
    noFile.set('purpose', 'assistants');
    expect([await send(noPurpose), await send(noFile)]).toEqual(['purpose', 'file']);
    expectError(await post('/files', { purpose: 'assistants' }), 400, {});
  });

  test('may expire', async () => {
    const { sdk } = await startedSimulator();
    const file = await sdk().files.create({
      file: await OpenAI.toFile(Buffer.from('x'), 'a.txt'),
      purpose: 'user_data',
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    expect((file.expires_at ?? 0) - file.created_at).toBe(3_600);
  });
});

describe('file list', () => {
  test('comes in pages, newest first, by purpose', async () => {
    const { upload, get } = await startedSimulator();
    for (const [name, purpose] of [
      ['a.txt', 'assistants'],
      ['b.txt', 'user_data'],
      ['c.txt', 'assistants'],
      ['d.txt', 'assistants'],
    ] as const) {
      await upload('x', name, purpose);
    }
    const names = (body: object) => listAt(body, 'data').map((file) => at(file, 'filename'));
    const all = (await get('/files')).body;
    expectSchema('ListFilesResponse', all);
    expect(names(all)).toEqual(['d.txt', 'c.txt', 'b.txt', 'a.txt']);
    expect(names((await get('/files?order=asc&purpose=assistants')).body)).toEqual(['a.txt', 'c.txt', 'd.txt']);
    const first = (await get('/files?limit=2')).body;
    expect(first).toMatchObject({ has_more: true });
    const second = (await get(`/files?limit=2&after=${textAt(first, 'last_id')}`)).body;
    expect(second).toMatchObject({ has_more: false });
    expect([...names(first), ...names(second)]).toEqual(names(all));
  });

  test.each(['limit=0', 'limit=x', 'limit=10001', 'order=up'])('rejects %s', async (query) => {
    const { get } = await startedSimulator();
    expectError(await get(`/files?${query}`), 400, {});
  });

  test('belongs to its key', async () => {
    const { upload, get } = await startedSimulator();
    const { body } = await upload('x', 'a.txt', 'assistants');
    expect((await get('/files', 'sk-somebody-else')).body.data).toEqual([]);
    expectError(await get(`/files/${textAt(body, 'id')}`, 'sk-somebody-else'), 404, {});
  });

  test('is read by the official client', async () => {
    const { sdk, upload } = await startedSimulator();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload('x', name, 'assistants');
    const names: string[] = [];
    for await (const file of sdk().files.list({ limit: 1, order: 'asc' })) names.push(file.filename);
    expect(names).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });
});

test.each(['assistants', 'user_data'])('does not allow downloads of files for %s', async (purpose) => {
  const { upload, get } = await startedSimulator();
  const { body } = await upload('x', 'a.txt', purpose);
  expectError(await get(`/files/${textAt(body, 'id')}/content`), 400, {
    message: `Not allowed to download files of purpose: ${purpose}`,
    type: 'invalid_request_error',
    code: null,
  });
});

test('returns training data byte for byte', async () => {
  const { url, upload } = await startedSimulator();
  const content = await readFile(new URL('../generation/answers/hostile.md', import.meta.url), 'utf8');
  const { body } = await upload(content, 'data.jsonl', 'fine-tune');
  const headers = { authorization: 'Bearer sk-proj-test-0123456789abcdefghijklmnop' };
  const response = await fetch(`${url}/files/${textAt(body, 'id')}/content`, { headers });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(content));
});

test('removes a deleted file from vector stores too', async () => {
  const simulator = await startedSimulator();
  const { body } = await simulator.upload('x', 'a.txt', 'assistants');
  const id = textAt(body, 'id');
  const store = await simulator.post('/vector_stores', { file_ids: [id] });
  const deleted = await simulator.delete(`/files/${id}`);
  expectSchema('DeleteFileResponse', deleted.body);
  expectError(await simulator.get(`/files/${id}`), 404, {});
  expectError(await simulator.delete(`/files/${id}`), 404, {});
  const after = await simulator.get(`/vector_stores/${textAt(store.body, 'id')}`);
  expect(at(after.body, 'file_counts', 'total')).toBe(0);
});
