import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goodKey, password, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { atProvider, filePlaces, sha256, startFileApp, untilCopy, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { storesOf, untilIndexed } from '#server/testing/knowledge';
import { beginDownload, unzip } from '#server/testing/zip';

describe.each(filePlaces)('an account with files on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let app: TestApp;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    app = place.app;
    await app.as('admin');
  });
  afterAll(() => place.stop());

  const close = (visitor: HttpClient, more: object = {}) => visitor.delete('/api/user', { password, ...more });

  test('exports them, even two of the same name', async () => {
    const ada = await app.as('ada');
    const other = await app.as('other');
    await uploaded(app, other, { filename: 'theirs.txt', content: 'not hers' });
    for (const content of ['first', 'second']) await uploaded(app, ada, { filename: 'same.txt', content });
    const { body } = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect([files.get('files/1-same.txt'), files.get('files/2-same.txt')]).toEqual(['first', 'second']);
    const [line] = files.get('files/INDEX.jsonl')?.split('\n') ?? [];
    expect(JSON.parse(line ?? '')).toEqual({
      file: 'files/1-same.txt',
      filename: 'same.txt',
      type: 'text/plain',
      size: 5,
      sha256: sha256(Buffer.from('first')),
      createdAt: expect.any(String),
      purpose: 'assistants',
    });
    expect([...files.keys()].filter((name) => name.includes('theirs'))).toEqual([]);

    // Short enough for the 260 characters of a path on Windows; the index has the full name.
    const filename = `${'ä'.repeat(250)}.txt`;
    await uploaded(app, other, { filename });
    const { body: next } = await beginDownload(app, other, '/api/user/export');
    const theirs = unzip(Buffer.from(await next.arrayBuffer()));
    const [name = ''] = [...theirs.keys()].filter((one) => one.startsWith('files/2-'));
    expect([Buffer.byteLength(name) <= 160, name.endsWith('ä.txt')]).toEqual([true, true]);
    expect(theirs.get('files/INDEX.jsonl')).toContain(filename);
  });

  test('deletes them with the account, and nobody else’s', async () => {
    const [bob, max] = [await app.as('bob'), await app.as('max')];
    for (let number = 0; number < 3; number++) await uploaded(app, bob, { content: `bob ${number}` });
    await uploaded(app, max, { content: 'max' });
    const before = (await place.stored()).length;
    expect((await close(bob)).status).toBe(204);
    await until('The removal of the bytes', async () => (await place.stored()).length === before - 3);
    expect((await max.get('/api/files')).body).toHaveLength(1);
  });

  test('empties the provider first on request', async () => {
    const key = `${goodKey}Eve`;
    const eve = await app.as('eve');
    await eve.post('/api/settings/apikey', { apiKey: key });
    const { id } = await uploaded(app, eve, { content: 'at the provider' });
    await untilCopy(eve, id, 'ready');
    expect(await atProvider(app, key)).toHaveLength(1);
    expect((await close(eve, { removeAtProvider: true })).status).toBe(204);
    expect(await atProvider(app, key)).toEqual([]);
  });

  test('leaves no vector store there either', async () => {
    const key = `${goodKey}Ivy`;
    const ivy = await app.as('ivy');
    await ivy.post('/api/settings/apikey', { apiKey: key });
    const assistantId = await createAssistant(ivy);
    const { id } = await uploaded(app, ivy, { filename: 'handbook.md' });
    await ivy.post(`/api/assistants/${assistantId}/files`, { fileIds: [id] });
    await untilIndexed(app, ivy, assistantId, ['ready']);
    expect(await storesOf(app, key)).toHaveLength(1);
    // The process that has filled it holds it until a moment later.
    const held = () =>
      withDatabase(app, (db) => db.selectFrom('vector_stores').select(['instance', 'state']).executeTakeFirstOrThrow());
    const hold = (instance: number | null) =>
      withDatabase(app, (db) =>
        db.updateTable('vector_stores').set({ instance }).where('assistant_id', '=', assistantId).execute(),
      );
    const { instance } = await withDatabase(app, (db) =>
      db
        .selectFrom('instances')
        .select(({ fn }) => fn.max('id').as('instance'))
        .executeTakeFirstOrThrow(),
    );
    await until('The end of the filling', async () => (await held()).instance === null);
    await hold(instance);
    const closing = close(ivy, { removeAtProvider: true });
    await until('The removal', async () => (await held()).state === 'removing');
    await withDatabase(app, (db) => db.updateTable('vector_stores').set({ instance: null }).execute());
    expect((await closing).status).toBe(204);
    expect(await storesOf(app, key)).toEqual([]);
    expect(await atProvider(app, key)).toEqual([]);
  });

  test('keeps the account if the provider cannot be emptied, and closes it without on request', async () => {
    const key = `${goodKey}Fay`;
    const fay = await app.as('fay');
    await fay.post('/api/settings/apikey', { apiKey: key });
    const { id } = await uploaded(app, fay, { content: 'stays' });
    await untilCopy(fay, id, 'ready');
    const { status, body } = await withFault(app, { fail: 'server_error' }, {}, () =>
      close(fay, { removeAtProvider: true }),
    );
    expect([status, body.code]).toEqual([502, 'provider_failed']);
    expect(body.message).toMatch(/^One file is still at the provider/);
    expect((await fay.get('/api/user')).status).toBe(200);
    expect((await close(fay)).status).toBe(204);
  });
});
