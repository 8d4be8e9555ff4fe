import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messageOf, newThread, sendMessage, titleAsksOf, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { roster } from '#server/testing/roster';
import { requestsOf } from '#server/testing/usage';
import { beginDownload, unzip } from '#server/testing/zip';

const newTemporary = (visitor: HttpClient, more: Record<string, unknown> = {}) =>
  newThread(visitor, { ...more, temporary: true });
const listOf = async (visitor: HttpClient, query = '') => {
  const { body } = await visitor.get(`/api/threads?limit=100${query}`);
  return body.items.map(({ id }: { id: number }) => id);
};
const statusOf = async (visitor: HttpClient, threadId: number) =>
  (await visitor.get(`/api/threads/${threadId}`)).status;

describe.each(engines)('temporary conversations on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const expireNow = (id: number) =>
    withDatabase(app, (db) =>
      db.updateTable('threads').set({ expires_at: '2026-11-01T00:00:00.000Z' }).where('id', '=', id).execute(),
    );
  const expiryOf = (id: number) =>
    withDatabase(app, async (db) => {
      const row = await db
        .selectFrom('threads')
        .select(['created_at', 'expires_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return Date.parse(row.expires_at ?? '') - Date.parse(row.created_at);
    });

  test('can be opened and asked in, but are in no list, search, export or API', async () => {
    const { visitor } = await app.someone();
    const assistantId = await createAssistant(visitor);
    const threadId = await newTemporary(visitor, { assistantId });
    const { answer } = await ask(app, visitor, threadId, 'A secret about quinces');
    expect((await visitor.get(`/api/threads/${threadId}`)).body).toMatchObject({ temporary: true });
    expect(answer).toMatchObject({ state: 'complete' });
    expect((await visitor.post(`/api/messages/${answer.id}/rating`, { value: 'good' })).status).toBe(200);
    await visitor.patch(`/api/threads/${threadId}`, { title: 'Quinces in secret' });

    expect(await listOf(visitor)).toEqual([]);
    expect(await listOf(visitor, '&archived=true')).toEqual([]);
    expect(await listOf(visitor, '&q=quinces')).toEqual([]);
    const questions = await visitor.get(`/api/assistants/${assistantId}/latest-questions`);
    expect([questions.status, questions.body]).toEqual([200, []]);
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const archive = unzip(Buffer.from(await body.arrayBuffer()));
    expect(archive.get('conversations/INDEX.jsonl')).toBe('');
    expect([...archive].filter(([, text]) => text.includes('quinces'))).toEqual([]);
    const { token } = await newToken(visitor);
    const own = await callApi(app, token, '/v1/threads', {
      headers: { 'openai-beta': 'assistants=v2' },
      method: 'POST',
      body: {},
    });
    expect(own.status).toBe(200);
    expect((await titleAsksOf(app)).filter((request) => JSON.stringify(request.body).includes('quinces'))).toEqual([]);
  });

  test('are not found by a search while their answer is being written', async () => {
    const { visitor } = await app.someone();
    const threadId = await newTemporary(visitor);
    const { run } = await sendMessage(visitor, threadId, 'Say pomelo [[delay 5]] [[bench 2000]]');
    expect(await listOf(visitor, '&q=t0001')).toEqual([]);
    await visitor.post(`/api/runs/${run.id}/stop`);
  });

  test('are hidden from the API', async () => {
    const { visitor } = await app.someone();
    const { token } = await newToken(visitor);
    const headers = { 'openai-beta': 'assistants=v2' };
    const call = (path: string) => callApi(app, token, `/v1/${path}`, { headers });
    const made = await callApi(app, token, '/v1/threads', { headers, method: 'POST', body: {} });
    expect((await call(`threads/${made.body.id}`)).status).toBe(200);
    const [threadId = 0] = await listOf(visitor, '&programs=true');
    await withDatabase(app, (db) =>
      db
        .updateTable('threads')
        .set({ purpose: 'temporary', expires_at: '2099-01-01T00:00:00.000Z' })
        .where('id', '=', threadId)
        .execute(),
    );
    expect((await call(`threads/${made.body.id}`)).status).toBe(404);
    const assistant = await callApi(app, token, '/v1/assistants', {
      headers,
      method: 'POST',
      body: { model: 'gpt-4.1' },
    });
    const run = await callApi(app, token, `/v1/threads/${made.body.id}/runs`, {
      headers,
      method: 'POST',
      body: { assistant_id: assistant.body.id },
    });
    expect(run.status).toBe(404);
  });

  test('keep their costs, without a title, also after they are deleted', async () => {
    const { visitor } = await app.someone();
    const threadId = await newTemporary(visitor, { title: 'Nobody’s business' });
    await ask(app, visitor, threadId, 'What does it cost?');
    const [open] = await requestsOf(visitor);
    expect(open).toMatchObject({ temporary: true, thread: null, inputTokens: expect.any(Number) });
    expect((await visitor.delete(`/api/threads/${threadId}`)).status).toBe(204);
    expect(await requestsOf(visitor)).toEqual([open]);
    const ordinary = await newThread(visitor);
    await ask(app, visitor, ordinary, 'And this?');
    expect((await requestsOf(visitor))[0]).not.toHaveProperty('temporary');
  });

  test('are deleted when they are closed, with a running answer, and are not in the trash', async () => {
    const threadId = await newTemporary(ada);
    const { run } = await sendMessage(ada, threadId, 'Go on [[delay 5]] [[bench 2000]]');
    expect((await ada.delete(`/api/threads/${threadId}`)).status).toBe(204);
    expect(await statusOf(ada, threadId)).toBe(404);
    expect((await ada.get(`/api/runs/${run.id}/response-schema`)).status).toBe(404);
    expect((await ada.get('/api/trash')).body).toMatchObject({ items: [], count: 0 });
    expect((await ada.delete(`/api/threads/${threadId}`)).status).toBe(404);
  });

  test('delete files that tools generated only for them, and keep those that were uploaded', async () => {
    const { visitor } = await app.someone();
    const assistantId = await createAssistant(visitor, { tools: { codeInterpreter: {} } });
    const threadId = await newTemporary(visitor, { assistantId });
    const { id: uploadedId } = await uploaded(app, visitor, { filename: 'mine.txt', content: 'Mine' });
    const { answer } = await ask(app, visitor, threadId, '[[make table.csv plot.png]]', { fileIds: [uploadedId] });
    const files = await until('The generated files', async () => {
      const message = await messageOf(visitor, threadId, answer.id);
      return message.files.length === 2 && message.files;
    });
    const ordinary = await newThread(visitor);
    await ask(app, visitor, ordinary, 'Look at it', { fileIds: [files[0]?.id] });
    await visitor.delete(`/api/threads/${threadId}`);
    const { body: left } = await visitor.get('/api/files');
    expect(left.map(({ id }: { id: number }) => id).toSorted()).toEqual([uploadedId, files[0]?.id].toSorted());
  });

  test('are deleted two minutes after they are left, unless they are opened again', async () => {
    const threadId = await newTemporary(ada);
    const day = 24 * 60 * 60_000;
    expect(await expiryOf(threadId)).toBe(day);
    expect((await ada.post(`/api/threads/${threadId}/leave`)).status).toBe(204);
    expect(await expiryOf(threadId)).toBeLessThan(day / 2);
    expect((await ada.post(`/api/threads/${threadId}/reopen`)).status).toBe(204);
    expect(await expiryOf(threadId)).toBe(day);
    await ada.post(`/api/threads/${threadId}/leave`);
    await expireNow(threadId);
    await app.restart();
    await until('The deletion', async () => (await statusOf(ada, threadId)) === 404);
  });

  test('become ordinary when they are kept', async () => {
    const { visitor } = await app.someone();
    const threadId = await newTemporary(visitor);
    const { id: fileId } = await uploaded(app, visitor, { filename: 'medlars.txt', content: 'Medlars' });
    await ask(app, visitor, threadId, 'Remember the rowanberries', { fileIds: [fileId] });
    const { status, body } = await visitor.post(`/api/threads/${threadId}/keep`);
    expect([status, body.title]).toEqual([200, 'Remember the rowanberries']);
    expect(body).not.toHaveProperty('temporary');
    expect(await listOf(visitor)).toEqual([threadId]);
    for (const q of ['rowanberries', 'medlars']) expect(await listOf(visitor, `&q=${q}`)).toEqual([threadId]);
    expect((await requestsOf(visitor)).at(-1)).toMatchObject({ thread: { id: threadId } });
    // Neither leaving nor keeping it again changes anything.
    expect((await visitor.post(`/api/threads/${threadId}/leave`)).status).toBe(204);
    expect((await visitor.post(`/api/threads/${threadId}/keep`)).status).toBe(200);
  });

  test('refuse another user, and what does not exist', async () => {
    const bob = await app.as('bob');
    const threadId = await newTemporary(ada);
    for (const call of ['keep', 'leave', 'reopen']) {
      expect((await bob.post(`/api/threads/${threadId}/${call}`)).status).toBe(404);
      expect((await ada.post(`/api/threads/2000000000/${call}`)).status).toBe(404);
    }
    expect((await bob.delete(`/api/threads/${threadId}`)).status).toBe(404);
    expect((await ada.get(`/api/threads/${threadId}`)).body.temporary).toBe(true);
    expect((await ada.post('/api/threads', { temporary: 'yes' })).status).toBe(400);
  });

  test('are not in a backup, which contains the trash', async () => {
    const { visitor } = await app.someone();
    const threadId = await newTemporary(visitor, { title: 'Greengages in the title' });
    await ask(app, visitor, threadId, 'Greengages in the message');
    const ordinary = await newThread(visitor);
    await ask(app, visitor, ordinary, 'Damsons in the message');
    const deleted = await newThread(visitor, { title: 'Sloes in the trash' });
    await visitor.delete(`/api/threads/${deleted}`);
    const folder = mkdtempSync(join(tmpdir(), 'roster-temporary-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const backup = join(folder, 'backup.tar');
    const { dataDir: DATA_DIR, databaseUrl } = app;
    const made = await roster(['backup', backup], { DATA_DIR, ...(databaseUrl && { DATABASE_URL: databaseUrl }) });
    expect([made.code, made.errors]).toEqual([0, '']);
    const content = (await readFile(backup)).toString('latin1');
    for (const kept of ['Damsons in the message', 'Sloes in the trash']) expect(content).toContain(kept);
    expect(content).not.toContain('Greengages');
    const restored = await roster(['restore', backup], { DATA_DIR: join(folder, 'restored') });
    expect([restored.code, restored.errors]).toEqual([0, '']);
  });
});
