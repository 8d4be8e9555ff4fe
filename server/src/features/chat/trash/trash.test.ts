import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { gathered, rated } from '#server/testing/datasets';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { requestsOf } from '#server/testing/usage';
import { beginDownload, unzip } from '#server/testing/zip';

type Listed = { id: number; title: string };
const idsOf = (items: Listed[]) => items.map(({ id }) => id);
const listOf = async (visitor: HttpClient, query = '') =>
  idsOf((await visitor.get(`/api/threads?limit=100${query}`)).body.items);
const trashOf = async (visitor: HttpClient) => (await visitor.get('/api/trash')).body;
const trashed = async (visitor: HttpClient, title: string) => {
  const id = await newThread(visitor, { title });
  expect((await visitor.delete(`/api/threads/${id}`)).status).toBe(204);
  return id;
};
const bulk = (visitor: HttpClient, action: string, ids: number[]) => visitor.post('/api/threads/bulk', { action, ids });

describe.each(engines)('the trash on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const exists = (threadId: number) =>
    withDatabase(app, async (db) => {
      const row = await db.selectFrom('threads').select('id').where('id', '=', threadId).executeTakeFirst();
      return row !== undefined;
    });
  const setDeleted = (threadId: number, at: string) =>
    withDatabase(app, (db) => db.updateTable('threads').set({ deleted_at: at }).where('id', '=', threadId).execute());

  test('describes one conversation in it, to its owner only', async () => {
    const { visitor } = await app.someone();
    const id = await trashed(visitor, 'Pears');
    const path = `/api/trash/${id}`;
    const { status, body } = await visitor.get(path);
    expect([status, body]).toEqual([200, (await trashOf(visitor)).items[0]]);
    expect((await (await app.as('admin')).get(path)).status).toBe(404);
    await visitor.post(`${path}/restore`);
    expect((await visitor.get(path)).status).toBe(404);
  });

  test('takes a deleted conversation, which nothing else shows, and gives it back as it was', async () => {
    const { visitor } = await app.someone();
    const assistantId = await createAssistant(visitor);
    const threadId = await newThread(visitor, { title: 'Walnuts', assistantId });
    const { answer, run } = await ask(app, visitor, threadId, 'How do walnuts grow?');
    await rated(visitor, answer.id, { value: 'good' });
    await visitor.patch(`/api/threads/${threadId}`, { pinned: true });
    const before = await messagesOf(visitor, threadId);
    expect((await visitor.delete(`/api/threads/${threadId}`)).status).toBe(204);

    expect(await trashOf(visitor)).toMatchObject({ count: 1, items: [{ id: threadId, title: 'Walnuts' }] });
    expect(await listOf(visitor)).toEqual([]);
    expect(await listOf(visitor, '&q=walnuts')).toEqual([]);
    const refused = [
      ...[`threads/${threadId}`, `threads/${threadId}/messages`, `threads/${threadId}/export`],
      ...[`threads/${threadId}/find?q=a`, `messages/${answer.id}/answers`, `runs/${run.id}/events`],
    ];
    for (const path of refused) expect([path, (await visitor.get(`/api/${path}`)).status]).toEqual([path, 404]);
    expect((await post(visitor, threadId, 'Still there?')).status).toBe(404);
    expect((await visitor.post(`/api/messages/${answer.id}/regenerate`)).status).toBe(404);
    expect((await visitor.post(`/api/messages/${answer.id}/rating`, { value: 'bad' })).status).toBe(404);
    expect((await visitor.patch(`/api/threads/${threadId}`, { title: 'Hazelnuts' })).status).toBe(404);
    expect((await visitor.delete(`/api/threads/${threadId}`)).status).toBe(404);
    expect((await requestsOf(visitor))[0]?.thread).toBeNull();
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const archive = unzip(Buffer.from(await body.arrayBuffer()));
    expect([...archive].filter(([, text]) => /walnuts/i.test(text))).toEqual([]);
    const dataset = await visitor.post('/api/fine-tuning/datasets', { name: 'Nuts', assistantId });
    expect(dataset.body.code).toBe('conflict');

    expect((await visitor.post(`/api/trash/${threadId}/restore`)).status).toBe(204);
    expect(await trashOf(visitor)).toEqual({ count: 0, items: [], nextCursor: null });
    expect(await messagesOf(visitor, threadId)).toEqual(before);
    expect((await visitor.get(`/api/threads/${threadId}`)).body).toMatchObject({ pinned: true, assistantId });
    expect(await listOf(visitor, '&q=walnuts')).toEqual([threadId]);
  });

  test('hides the example’s conversation in a dataset', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor);
    const { answer } = await ask(app, visitor, threadId, 'Almonds?');
    await rated(visitor, answer.id, { value: 'good' });
    const { id } = await gathered(visitor);
    const sourceOf = async () => (await visitor.get(`/api/fine-tuning/datasets/${id}/examples`)).body.items[0].source;
    expect(await sourceOf()).toMatchObject({ threadId });
    await visitor.delete(`/api/threads/${threadId}`);
    expect(await sourceOf()).toBeNull();
  });

  test('stops a running answer, and keeps what it said', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor);
    await sendMessage(visitor, threadId, 'Go on [[delay 5]] [[bench 2000]]');
    await visitor.delete(`/api/threads/${threadId}`);
    await visitor.post(`/api/trash/${threadId}/restore`);
    await until('The end of the answer', async () => {
      const [, answer] = await messagesOf(visitor, threadId);
      return answer?.state === 'stopped';
    });
  });

  test('returns pages, last deleted first', async () => {
    const { visitor } = await app.someone();
    const ids: number[] = [];
    for (let number = 0; number < 5; number++) ids.push(await trashed(visitor, `Number ${number}`));
    for (const id of ids) await setDeleted(id, '2099-11-20T10:00:00.000Z');
    const listed: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { status, body } = await visitor.get(`/api/trash?limit=2${cursor && `&cursor=${cursor}`}`);
      expect([status, body.count]).toEqual([200, 5]);
      listed.push(...idsOf(body.items));
      cursor = body.nextCursor;
    }
    expect(listed).toEqual(ids.toReversed());
    expect((await trashOf(visitor)).items[0].endsAt).toBe('2099-12-20T10:00:00.000Z');
    expect((await visitor.get('/api/trash?cursor=nonsense')).status).toBe(400);
    expect((await visitor.get('/api/trash?limit=101')).status).toBe(400);
  });

  test('deletes one permanently, and releases its files', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor);
    const { id: fileId } = await uploaded(app, visitor);
    await ask(app, visitor, threadId, 'Read this', { fileIds: [fileId] });
    expect((await visitor.delete(`/api/trash/${threadId}`)).status).toBe(404);
    await visitor.delete(`/api/threads/${threadId}`);
    const usedBy = async () => (await visitor.get('/api/files')).body[0].usedBy;
    expect(await usedBy()).toBe(1);
    expect((await visitor.delete(`/api/trash/${threadId}`)).status).toBe(204);
    expect([await exists(threadId), await usedBy()]).toEqual([false, 0]);
    expect((await visitor.post(`/api/trash/${threadId}/restore`)).status).toBe(404);
  });

  test('is emptied at once, and only its owner’s', async () => {
    const { visitor } = await app.someone();
    const { visitor: other } = await app.someone();
    const others = await trashed(other, 'Other');
    const ids = [await trashed(visitor, 'One'), await trashed(visitor, 'Two')];
    const ordinary = await newThread(visitor);
    expect((await visitor.delete('/api/trash')).body).toEqual({ deleted: 2 });
    expect(await trashOf(visitor)).toMatchObject({ count: 0, items: [] });
    for (const id of ids) {
      expect((await visitor.post(`/api/trash/${id}/restore`)).status).toBe(404);
      await until('The deletion', async () => !(await exists(id)));
    }
    expect((await visitor.delete('/api/trash')).body).toEqual({ deleted: 0 });
    expect([await listOf(visitor), (await trashOf(other)).count]).toEqual([[ordinary], 1]);
    expect((await visitor.post(`/api/trash/${others}/restore`)).status).toBe(404);
    expect((await visitor.delete(`/api/trash/${others}`)).status).toBe(404);
    expect(await exists(others)).toBe(true);
  });

  test('deletes permanently after 30 days', async () => {
    const { visitor } = await app.someone();
    const old = await trashed(visitor, 'Old');
    const recent = await trashed(visitor, 'Recent');
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
    await setDeleted(old, daysAgo(31));
    await setDeleted(recent, daysAgo(29));
    await app.restart();
    await until('The deletion', async () => !(await exists(old)));
    expect(idsOf((await trashOf(visitor)).items)).toEqual([recent]);
  });

  test('does not take what clients delete, and hides what people delete from them', async () => {
    const { visitor } = await app.someone();
    const { token } = await newToken(visitor);
    const headers = { 'openai-beta': 'assistants=v2' };
    const call = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: object) =>
      callApi(app, token, `/v1/${path}`, { headers, method, ...(body && { body }) });
    const { body: assistant } = await call('assistants', 'POST', { model: 'gpt-4.1' });
    const thread = { messages: [{ role: 'user', content: 'Pecans' }] };
    const { body: run } = await call('threads/runs', 'POST', { assistant_id: assistant.id, thread });
    const paths = [`threads/${run.thread_id}`, `threads/${run.thread_id}/runs/${run.id}`];
    for (const path of [...paths, `${paths[0]}/runs`]) expect((await call(path)).status).toBe(200);
    const [threadId = 0] = await listOf(visitor, '&programs=true');
    await visitor.delete(`/api/threads/${threadId}`);
    for (const path of paths) expect((await call(path)).status).toBe(404);
    await visitor.post(`/api/trash/${threadId}/restore`);
    expect((await call(paths[0] ?? '', 'DELETE')).status).toBe(200);
    expect([await exists(threadId), (await trashOf(visitor)).count]).toEqual([false, 0]);
  });

  test('changes several conversations at once, and says which do not exist', async () => {
    const { visitor } = await app.someone();
    const { visitor: other } = await app.someone();
    const foreign = await newThread(other);
    const [first = 0, second = 0, third = 0] = [
      await newThread(visitor, { title: 'First' }),
      await newThread(visitor, { title: 'Second' }),
      await newThread(visitor, { title: 'Third' }),
    ];
    const temporary = await newThread(visitor, { temporary: true });
    const no = 2_000_000_000;
    const archived = await bulk(visitor, 'archive', [first, second, foreign, no, second]);
    expect([archived.status, archived.body]).toEqual([200, { changed: [first, second], missing: [foreign, no] }]);
    expect(await listOf(visitor, '&archived=true')).toEqual([second, first]);
    expect((await bulk(visitor, 'unarchive', [second])).body.changed).toEqual([second]);
    const deleted = await bulk(visitor, 'delete', [first, third, temporary, foreign]);
    expect(deleted.body).toEqual({ changed: [first, third], missing: [temporary, foreign] });
    expect([await listOf(visitor), (await trashOf(visitor)).count]).toEqual([[second], 2]);
    expect((await bulk(visitor, 'restore', [first, second])).body).toEqual({ changed: [first], missing: [second] });
    expect(await listOf(visitor, '&archived=true')).toEqual([first]);
    expect(await listOf(other)).toEqual([foreign]);
    for (const [action, ids] of [
      ['delete', []],
      ['burn', [first]],
      ['delete', Array.from({ length: 501 }, (_, index) => index + 1)],
    ] as const)
      expect((await bulk(visitor, action, [...ids])).status).toBe(400);
  });

  test('stops the answers of all deleted conversations', async () => {
    const { visitor } = await app.someone();
    const ids = [await newThread(visitor), await newThread(visitor)];
    for (const id of ids) await sendMessage(visitor, id, 'Go on [[delay 5]] [[bench 2000]]');
    await bulk(visitor, 'delete', ids);
    await bulk(visitor, 'restore', ids);
    for (const id of ids)
      await until('The end of the answer', async () => (await messagesOf(visitor, id))[1]?.state === 'stopped');
  });
});
