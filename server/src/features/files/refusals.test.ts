import { connect } from 'node:net';
import { fileCountLimit, storageLimit } from '@roster/contracts/files/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { boundary, cookieOf, filePlaces, form, formType, ownForm, startFileApp, upload } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { bareRequest } from '#server/testing/test-environment';

const file = { name: 'file', filename: 'a.txt', content: 'Hello' };
const purpose = { name: 'purpose', content: 'assistants' };

describe.each(filePlaces)('an upload on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    app = place.app;
  });
  afterAll(() => place.stop());

  const someone = () => app.as(`person${++people}`);
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  const inProgress = () => withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').execute());
  /** Nothing is left of a refused upload: no row, no reservation, no bytes. */
  async function nothingIsLeft(visitor: HttpClient, filesBefore: number) {
    expect((await visitor.get('/api/files')).body).toEqual([]);
    await until('The end of every reservation', async () => (await inProgress()).length === 0);
    await until('The removal of the bytes', async () => place.stored().length === filesBefore);
  }

  test.each([
    ['without a file', [purpose], { file: 'Please select at least one file to upload' }],
    ['without a purpose', [file], { purpose: expect.any(String) }],
    ['for a purpose that there is not', [{ ...purpose, content: 'batch' }, file], { purpose: expect.any(String) }],
    ['of nothing', [purpose, { ...file, content: '' }], { file: 'The file is empty.' }],
    ['of two files', [purpose, file, file], { file: 'Send one file at a time' }],
    ['with an unknown text', [purpose, { name: 'userId', content: '1' }, file], { userId: 'Unknown field' }],
    ['with an unknown file', [purpose, file, { ...file, name: 'other' }], { other: 'Unknown field' }],
    ['with a text twice', [purpose, purpose, file], { purpose: 'This field may be there only once' }],
    [
      'for training that is not JSONL',
      [{ ...purpose, content: 'fine-tune' }, file],
      { file: 'A file for fine-tuning must be JSONL, with a name that ends in .jsonl.' },
    ],
  ])('refuses an upload %s, and leaves nothing behind', async (_what, parts, fields) => {
    const visitor = await someone();
    const before = place.stored().length;
    const { status, body } = await bareRequest(app, 'POST', '/api/files/upload', ownForm(visitor), form(parts));
    expect([status, body.code, body.fields]).toEqual([400, 'invalid_input', fields]);
    await nothingIsLeft(visitor, before);
  });

  test('refuses what is no form, or half of one', async () => {
    const visitor = await someone();
    const before = place.stored().length;
    const whole = form([purpose, { ...file, content: 'x'.repeat(100_000) }]);
    const send = (type: string, body: Buffer) =>
      bareRequest(app, 'POST', '/api/files/upload', { ...ownForm(visitor), 'content-type': type }, body);
    expect((await send('multipart/form-data', whole)).status).toBe(400);
    expect((await send('application/octet-stream', whole)).status).toBe(415);
    for (const length of [0, 10, 150, 50_000, whole.length - 6])
      expect((await send(formType, whole.subarray(0, length))).status, `${length} bytes`).toBe(400);
    await nothingIsLeft(visitor, before);
  });

  test('refuses strangers and other sites before it is read', async () => {
    const visitor = await someone();
    const body = form([purpose, file]);
    const { cookie, ...anonymous } = ownForm(visitor);
    expect((await bareRequest(app, 'POST', '/api/files/upload', anonymous, body)).status).toBe(401);
    const foreign = { cookie, 'content-type': formType, 'sec-fetch-site': 'cross-site' };
    expect((await bareRequest(app, 'POST', '/api/files/upload', foreign, body)).status).toBe(403);
  });

  test('leaves nothing behind if it breaks off', async () => {
    const visitor = await someone();
    const before = place.stored().length;
    for (const sent of [200, 300_000, 2_000_000]) {
      const socket = connect(Number(new URL(app.url).port), 'localhost');
      const body = form([purpose, { ...file, content: Buffer.alloc(4_000_000, 'x') }]);
      socket.write(
        `POST /api/files/upload HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\ncookie: ${cookieOf(visitor)}\r\n` +
          `sec-fetch-site: same-origin\r\ncontent-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      socket.write(body.subarray(0, sent));
      await until('The beginning of the upload', async () => (await inProgress()).length === 1);
      socket.destroy();
      await until('The end of the reservation', async () => (await inProgress()).length === 0);
    }
    await nothingIsLeft(visitor, before);
  });

  test('accepts a third one only after the first is done', async () => {
    const visitor = await someone();
    const userId = await idOf(visitor);
    await reserved(userId, 1, 2);
    const third = await upload(app, visitor);
    expect([third.status, third.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    await release(userId);
    expect((await upload(app, visitor)).status).toBe(201);
  });

  test('respects the quota of a user, even for many at once', async () => {
    const visitor = await someone();
    const userId = await idOf(visitor);
    await reserved(userId, storageLimit - 4_000, 1);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => upload(app, visitor, { content: 'x'.repeat(1_500) })),
    );
    const refusedAs = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code));
    expect([...refusedAs].filter((code) => code !== 'rate_limited' && code !== 'quota_exceeded')).toEqual([]);
    // One by one, so that only the quota refuses.
    const more = [];
    for (let index = 0; index < 4; index++) more.push(await upload(app, visitor, { content: 'x'.repeat(1_500) }));
    const { body: summary } = await visitor.get('/api/files/summary');
    expect(summary.storageUsedBytes).toBeLessThanOrEqual(4_000);
    expect(summary.totalFiles).toBe(2);
    const last = more.at(-1);
    expect([last?.status, last?.body.code]).toEqual([409, 'quota_exceeded']);
    expect(last?.body.message).toMatch(/^This file would exceed your storage limit of 1024\.00 MB/);
    await release(userId);
  });

  test('refuses the 1,001st file', async () => {
    const visitor = await someone();
    const userId = await idOf(visitor);
    await withDatabase(app, async (db) => {
      for (let index = 0; index < fileCountLimit - 1; index++)
        await db
          .insertInto('files')
          .values({
            user_id: userId,
            filename: 'a',
            name_key: 'a',
            type: 'text/plain',
            size: 1,
            sha256: '',
            storage_key: `${userId} ${index}`,
            purpose: 'assistants',
            created_at: '',
          })
          .execute();
    });
    expect((await upload(app, visitor)).status).toBe(201);
    const refused = await upload(app, visitor);
    expect([refused.status, refused.body.code]).toEqual([409, 'quota_exceeded']);
  });

  /** As if another process were forwarding now; no process has this number, so none is waited for. */
  const reserved = (userId: number, bytes: number, count: number) =>
    withDatabase(app, async (db) => {
      const { id: instance } = await db
        .selectFrom('instances')
        .select('id')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      for (let index = 0; index < count; index++)
        await db
          .insertInto('file_uploads')
          .values({
            user_id: userId,
            storage_key: `${userId} ${index}`,
            reserved_bytes: bytes,
            instance,
            created_at: '',
          })
          .execute();
    });
  const release = (userId: number) =>
    withDatabase(app, (db) => db.deleteFrom('file_uploads').where('user_id', '=', userId).execute());
});

test('says that the disk is nearly full, while everything else continues', async () => {
  const app = await startApp('sqlite', { env: { MIN_FREE_DISK_BYTES: String(Number.MAX_SAFE_INTEGER) } });
  try {
    const visitor = await app.as('ada');
    const { status, body } = await upload(app, visitor);
    expect([status, body.code, body.message]).toEqual([
      507,
      'no_space',
      'The server is out of storage for files. Please tell the operator.',
    ]);
    expect((await visitor.get('/api/files')).status).toBe(200);
  } finally {
    await app.stop();
  }
});

test('refuses more than 60 in a minute', async () => {
  const app = await startApp('sqlite', { env: { RATE_LIMIT_SCALE: '1' } });
  try {
    const visitor = await app.as('ada');
    for (let number = 0; number < 60; number++) expect((await upload(app, visitor)).status).toBe(201);
    expect((await upload(app, visitor)).status).toBe(429);
  } finally {
    await app.stop();
  }
});
