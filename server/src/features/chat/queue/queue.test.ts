import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, clientId, messagesOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { enqueued, postQueued, queueOf, queuePath } from '#server/testing/queue';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

const endless = '[[bench 40000]] [[delay 20]]';
/** Long enough for a busy machine to put messages in line behind it. */
const slow = '[[bench 150]] [[delay 20]]';

describe.each(engines)('messages in line on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const named = (more: Record<string, unknown> = {}) => newThread(ada, { title: 'Named', ...more });
  const textsOf = async (threadId: number) => (await queueOf(ada, threadId)).map(({ text }) => text);
  const heldOf = async (threadId: number) => (await queueOf(ada, threadId)).map(({ held }) => held);
  const stop = (runId: number) => ada.post(`/api/runs/${runId}/stop`);
  /** The questions of the shown branch, once so many have been answered. */
  const answered = (threadId: number, count: number) =>
    until('The answers', async () => {
      const messages = await messagesOf(ada, threadId);
      const isDone = messages.length === 2 * count && messages.at(-1)?.state === 'complete';
      return isDone && messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    });

  test('are sent in order when the answer before them has ended', async () => {
    const threadId = await named();
    await sendMessage(ada, threadId, slow);
    await enqueued(ada, threadId, 'second');
    const queue = await enqueued(ada, threadId, 'third');
    expect(queue).toMatchObject([
      { threadId, text: 'second', files: [], models: [], held: null, problem: null },
      { text: 'third' },
    ]);
    expect((await ada.get(`/api/threads/${threadId}`)).body.queued).toBe(2);
    expect(await answered(threadId, 3)).toEqual([slow, 'second', 'third']);
    expect(await queueOf(ada, threadId)).toEqual([]);
    expect((await ada.get(`/api/threads/${threadId}`)).body.queued).toBeUndefined();
  });

  test('are not sent to the model before it is their turn', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    await enqueued(ada, threadId, 'a quince in line');
    expect(JSON.stringify(await asksOf(app))).not.toContain('a quince in line');
    expect((await ada.get('/api/threads?q=quince')).body.items).toEqual([]);
    await stop(run.id);
  });

  test('are sent at once if no answer is being written', async () => {
    const threadId = await named();
    expect(await enqueued(ada, threadId, 'hello')).toEqual([]);
    expect(await answered(threadId, 1)).toEqual(['hello']);
  });

  test('are stored once, however often the request is repeated', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    const draft = { message: 'once', clientId: clientId() };
    const both = await Promise.all([ada.post(queuePath(threadId), draft), ada.post(queuePath(threadId), draft)]);
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    expect(await textsOf(threadId)).toEqual(['once']);
    const [waiting] = await queueOf(ada, threadId);
    await ada.post(`/api/queued-messages/${waiting?.id}/send`, {});
    expect((await ada.post(queuePath(threadId), draft)).body.items).toEqual([]);
    expect(await answered(threadId, 2)).toEqual([endless, 'once']);
    const other = await ada.post(queuePath(threadId), { ...draft, message: 'another' });
    expect([other.status, other.body.code]).toEqual([409, 'client_id_used']);
    expect((await stop(run.id)).status).toBe(200);
  });

  test('wait after an answer that was stopped, until they are sent', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    await enqueued(ada, threadId, 'second');
    await enqueued(ada, threadId, 'third');
    await stop(run.id);
    const [second] = await queueOf(ada, threadId);
    expect(await heldOf(threadId)).toEqual(['stopped', 'stopped']);
    expect((await ada.post(`/api/queued-messages/${second?.id}/send`, {})).status).toBe(200);
    expect(await answered(threadId, 3)).toEqual([endless, 'second', 'third']);
  });

  test('wait after an answer that failed', async () => {
    const threadId = await named();
    await sendMessage(ada, threadId, '[[delay 20]] [[failed 40]]');
    await enqueued(ada, threadId, 'second');
    await until('The failure', async () => (await heldOf(threadId))[0] === 'failed');
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
  });

  test('can be sent now: the answer stops, and the others follow', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    await enqueued(ada, threadId, 'second');
    const [, third] = await enqueued(ada, threadId, 'third [[bench 40]] [[delay 20]]');
    const sent = await ada.post(`/api/queued-messages/${third?.id}/send`, {});
    expect([sent.status, sent.body.items.map(({ text }: { text: string }) => text)]).toEqual([200, ['second']]);
    expect(await answered(threadId, 3)).toEqual([endless, 'third [[bench 40]] [[delay 20]]', 'second']);
    expect((await messagesOf(ada, threadId))[1]).toMatchObject({ state: 'stopped', run: { id: run.id } });
    const again = await ada.post(`/api/queued-messages/${third?.id}/send`, {});
    expect([again.status, again.body.message]).toEqual([
      404,
      'This message no longer waits: it has been sent or removed.',
    ]);
  });

  test('can be edited, and do not leave while they are', async () => {
    const threadId = await named();
    await sendMessage(ada, threadId, slow);
    const [waiting] = await enqueued(ada, threadId, 'secnd');
    const path = `/api/queued-messages/${waiting?.id}`;
    expect((await ada.patch(path, { editing: true })).body).toMatchObject({ held: 'editing' });
    await answered(threadId, 1);
    expect(await textsOf(threadId)).toEqual(['secnd']);
    const saved = await ada.patch(path, { message: 'second', editing: false });
    expect([saved.status, saved.body.text]).toEqual([200, 'second']);
    expect((await answered(threadId, 2)).at(-1)).toBe('second');
    expect((await ada.patch(path, { message: 'third' })).status).toBe(404);
  });

  test('stay held after editing if the answer was stopped meanwhile', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    const [waiting] = await enqueued(ada, threadId, 'second');
    await ada.patch(`/api/queued-messages/${waiting?.id}`, { editing: true });
    await stop(run.id);
    await ada.patch(`/api/queued-messages/${waiting?.id}`, { editing: false });
    expect(await heldOf(threadId)).toEqual(['stopped']);
  });

  test('can be removed, which lets the next one be sent', async () => {
    const threadId = await named();
    await sendMessage(ada, threadId, slow);
    const [second] = await enqueued(ada, threadId, 'second');
    await enqueued(ada, threadId, 'third');
    await ada.patch(`/api/queued-messages/${second?.id}`, { editing: true });
    await answered(threadId, 1);
    expect((await ada.delete(`/api/queued-messages/${second?.id}`)).status).toBe(204);
    expect((await answered(threadId, 2)).at(-1)).toBe('third');
  });

  test('are at most ten', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    for (let count = 1; count <= 10; count++) await enqueued(ada, threadId, `number ${count}`);
    const refused = await postQueued(ada, threadId, 'number 11');
    expect([refused.status, refused.body.message]).toEqual([
      409,
      '10 messages are already waiting. Remove one, or wait until the next one has been sent.',
    ]);
    await stop(run.id);
  });

  test('take their files along, which count as used', async () => {
    const threadId = await named();
    const { id: fileId } = await uploaded(app, ada, { filename: 'notes.txt', content: 'plums' });
    const { run } = await sendMessage(ada, threadId, endless);
    const [waiting] = await enqueued(ada, threadId, 'read this', { fileIds: [fileId] });
    expect(waiting?.files).toMatchObject([{ id: fileId, filename: 'notes.txt', kind: 'text' }]);
    const usesOf = async () =>
      (await ada.get('/api/files')).body.find(({ id }: { id: number }) => id === fileId)?.usedBy;
    expect(await usesOf()).toBe(1);
    await stop(run.id);
    await ada.post(`/api/queued-messages/${waiting?.id}/send`, {});
    await answered(threadId, 2);
    expect((await messagesOf(ada, threadId))[2]?.files).toMatchObject([{ id: fileId }]);
    expect(await usesOf()).toBe(1);
  });

  test('wait if one of their files was deleted, and go without it', async () => {
    const threadId = await named();
    const { id: fileId } = await uploaded(app, ada, { filename: 'gone.txt', content: 'plums' });
    await sendMessage(ada, threadId, '[[bench 40]] [[delay 20]]');
    const [waiting] = await enqueued(ada, threadId, 'read this', { fileIds: [fileId] });
    await ada.delete(`/api/files/${fileId}`);
    await until('The refusal', async () => (await heldOf(threadId))[0] === 'refused');
    expect(await queueOf(ada, threadId)).toMatchObject([{ problem: 'This file does not exist.' }]);
    const path = `/api/queued-messages/${waiting?.id}`;
    expect((await ada.patch(path, { fileIds: [] })).body.files).toEqual([]);
    await ada.post(`${path}/send`, {});
    expect((await answered(threadId, 2)).at(-1)).toBe('read this');
  });

  test('wait for the choice between several answers', async () => {
    const threadId = await named();
    const models = ['gpt-4o', 'gpt-4o-mini'];
    await sendMessage(ada, threadId, '[[bench 40]] [[delay 20]]', { models });
    await enqueued(ada, threadId, 'second', { models });
    await until('The question which', async () => (await heldOf(threadId))[0] === 'choice');
    const [, answer] = await messagesOf(ada, threadId);
    await ada.patch(`/api/threads/${threadId}`, { shownMessageId: answer?.id });
    const [waiting] = await queueOf(ada, threadId);
    await ada.post(`/api/queued-messages/${waiting?.id}/send`, {});
    await answered(threadId, 2);
    expect((await messagesOf(ada, threadId)).at(-1)?.together).toHaveLength(2);
  });

  test('wait if a budget is used up, and can be sent over it', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor, { title: 'Named' });
    await ask(app, visitor, threadId, 'something that costs [[tokens 2000]]');
    await sendMessage(visitor, threadId, '[[bench 40]] [[delay 20]]');
    const [waiting] = await enqueued(visitor, threadId, 'second');
    const budget = { assistantId: null, amountUsd: 0.01, hardStop: true };
    expect((await visitor.post('/api/analytics/budgets', budget)).status).toBeLessThan(300);
    const held = await until('The refusal', async () =>
      (await queueOf(visitor, threadId)).find((message) => message.held === 'over_budget'),
    );
    expect(held.problem).toContain('budget');
    await visitor.post(`/api/queued-messages/${waiting?.id}/send`, { overBudget: true });
    await until('The answer', async () => (await messagesOf(visitor, threadId)).length === 6);
  });

  test('refuse what an ordinary message refuses', async () => {
    const threadId = await named();
    const statusOf = async (message: string, more = {}) => (await postQueued(ada, threadId, message, more)).status;
    expect(await statusOf('')).toBe(400);
    expect(await statusOf('a'.repeat(10_001))).toBe(400);
    expect(await statusOf('hello', { fileIds: [4_000_000] })).toBe(404);
    expect(await statusOf('hello', { parentId: 1 })).toBe(400);
    expect(await queueOf(ada, threadId)).toEqual([]);
    expect(await messagesOf(ada, threadId)).toEqual([]);
  });

  test('wait in the trash, and after it', async () => {
    const threadId = await named();
    await sendMessage(ada, threadId, endless);
    const [waiting] = await enqueued(ada, threadId, 'second');
    await ada.delete(`/api/threads/${threadId}`);
    expect((await ada.get(queuePath(threadId))).status).toBe(404);
    expect((await postQueued(ada, threadId, 'third')).status).toBe(404);
    expect((await ada.post(`/api/queued-messages/${waiting?.id}/send`, {})).status).toBe(404);
    await ada.post(`/api/trash/${threadId}/restore`);
    expect(await heldOf(threadId)).toEqual(['stopped']);
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
  });

  test('are sent in a temporary chat too, and are not exported from it', async () => {
    const { visitor } = await app.someone();
    const kept = await newThread(visitor, { title: 'Named' });
    const temporary = await newThread(visitor, { temporary: true });
    const runs = [await sendMessage(visitor, kept, endless), await sendMessage(visitor, temporary, endless)];
    await enqueued(visitor, kept, 'to be exported');
    const [secret] = await enqueued(visitor, temporary, 'a secret');
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const archive = unzip(Buffer.from(await body.arrayBuffer()));
    expect(jsonLines(archive.get('queued-messages.jsonl'))).toMatchObject([
      { conversation: `conversations/${kept}.json`, text: 'to be exported', files: [], held: null },
    ]);
    await visitor.post(`/api/queued-messages/${secret?.id}/send`, {});
    await until('The answer', async () => (await messagesOf(visitor, temporary)).at(-1)?.state === 'complete');
    expect((await messagesOf(visitor, temporary)).map(({ text }) => text)[2]).toBe('a secret');
    for (const { run } of runs) await visitor.post(`/api/runs/${run.id}/stop`);
  });

  test('release their files with the conversation', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor, { title: 'Named' });
    const { id: fileId } = await uploaded(app, visitor, { filename: 'notes.txt', content: 'plums' });
    await sendMessage(visitor, threadId, endless);
    await enqueued(visitor, threadId, 'read this', { fileIds: [fileId] });
    await visitor.delete(`/api/threads/${threadId}`);
    await visitor.delete(`/api/trash/${threadId}`);
    const uses = await withDatabase(app, (db) =>
      db.selectFrom('file_uses').selectAll().where('file_id', '=', fileId).execute(),
    );
    expect(uses).toEqual([]);
  });

  test('leave an ordinary message alone that comes first', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    await enqueued(ada, threadId, 'second');
    await stop(run.id);
    expect((await post(ada, threadId, 'third')).status).toBe(202);
    expect(await answered(threadId, 2)).toEqual([endless, 'third']);
    expect(await heldOf(threadId)).toEqual(['stopped']);
  });

  test('are sent once, however many requests ask for it at the same time', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    const [waiting] = await enqueued(ada, threadId, 'second');
    await enqueued(ada, threadId, 'third');
    const path = `/api/queued-messages/${waiting?.id}/send`;
    const sent = await Promise.all(Array.from({ length: 6 }, () => ada.post(path, {})));
    expect(sent.every(({ status }) => status === 200 || status === 404)).toBe(true);
    await stop(run.id);
    expect(await answered(threadId, 3)).toEqual([endless, 'second', 'third']);
  });

  /** The answer of a process that was killed. */
  async function abandoned(visitor: HttpClient, threadId: number) {
    const { run } = await ask(app, visitor, threadId, 'first');
    const unfinished = { instance: 999_999, event_marks: null, finish_reason: null, finished_at: null, last_event: 0 };
    await withDatabase(app, (db) =>
      db
        .updateTable('runs')
        .set({ ...unfinished, state: 'running' })
        .where('id', '=', run.id)
        .execute(),
    );
  }

  test('are sent by the process that ends an answer after a crash, unless their owner is disabled', async () => {
    const threadId = await named();
    await abandoned(ada, threadId);
    const { visitor } = await app.someone();
    const other = await newThread(visitor, { title: 'Named' });
    await abandoned(visitor, other);
    await enqueued(visitor, other, 'not any more');
    const { id } = (await visitor.get('/api/user')).body;
    await withDatabase(app, (db) => db.updateTable('users').set({ status: 'Inactive' }).where('id', '=', id).execute());
    await enqueued(ada, threadId, 'second');
    await app.restart();
    await until('The answer', async () => (await messagesOf(ada, threadId)).length === 4);
    expect(await messagesOf(ada, threadId)).toMatchObject([
      { text: 'first' },
      { state: 'interrupted' },
      { text: 'second' },
      {},
    ]);
    const waiting = await withDatabase(app, (db) =>
      db.selectFrom('queued_messages').select('text').where('user_id', '=', id).execute(),
    );
    expect(waiting).toEqual([{ text: 'not any more' }]);
  });

  test('are sent after a restart if the server stopped between two answers', async () => {
    const threadId = await named();
    const { run } = await sendMessage(ada, threadId, endless);
    await enqueued(ada, threadId, 'second');
    await stop(run.id);
    await app.halt();
    await withDatabase(app, (db) =>
      db.updateTable('queued_messages').set({ held: null }).where('thread_id', '=', threadId).execute(),
    );
    await app.startWith({});
    expect(await answered(threadId, 2)).toEqual([endless, 'second']);
  });
});
