import type { Message } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, clientId, messagesOf, newThread, post, regenerated } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

const idsOf = (messages: Message[]) => messages.map(({ id }) => id);

describe.each(engines)('branches on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const shown = async (threadId: number) => idsOf(await messagesOf(ada, threadId));
  const show = (threadId: number, shownMessageId: number) => ada.patch(`/api/threads/${threadId}`, { shownMessageId });
  const lastAsk = async () => (await asksOf(app)).at(-1)?.body.input.map(({ content }: { content: string }) => content);

  test('form a single line while nothing is edited', async () => {
    const threadId = await newThread(ada);
    const first = await ask(app, ada, threadId, 'One');
    const second = await ask(app, ada, threadId, 'Two');
    const messages = await messagesOf(ada, threadId);
    expect(idsOf(messages)).toEqual([first.message.id, first.answer.id, second.message.id, second.answer.id]);
    expect(messages.map(({ parentId }) => parentId)).toEqual([null, ...idsOf(messages).slice(0, 3)]);
    expect(messages.map(({ siblings }) => siblings)).toEqual(idsOf(messages).map((id) => [id]));
    expect(await lastAsk()).toEqual(['One', first.answer.text, 'Two']);
  });

  test('start with an edited message, and each can be shown', async () => {
    const threadId = await newThread(ada);
    const first = await ask(app, ada, threadId, 'One');
    const second = await ask(app, ada, threadId, 'Two');
    const third = await ask(app, ada, threadId, 'Three');
    const old = await shown(threadId);
    const edited = await ask(app, ada, threadId, 'Two, but better', { parentId: first.answer.id });
    const fresh = [first.message.id, first.answer.id, edited.message.id, edited.answer.id];
    expect(await shown(threadId)).toEqual(fresh);
    expect(await lastAsk()).toEqual(['One', first.answer.text, 'Two, but better']);
    const branches = [second.message.id, edited.message.id];
    expect((await messagesOf(ada, threadId))[2]?.siblings).toEqual(branches);
    expect((await show(threadId, second.message.id)).status).toBe(200);
    expect(await shown(threadId)).toEqual(old);
    expect((await messagesOf(ada, threadId))[2]?.siblings).toEqual(branches);
    // Any message of the branch selects it, down to its end.
    await show(threadId, edited.answer.id);
    expect(await shown(threadId)).toEqual(fresh);
    await show(threadId, third.message.id);
    expect(await shown(threadId)).toEqual(old);
    // A shared message selects the newest branch.
    await show(threadId, first.message.id);
    expect(await shown(threadId)).toEqual(fresh);
    const next = await ask(app, ada, threadId, 'Four');
    expect(next.message.parentId).toBe(edited.answer.id);
  });

  test('start with an edited first message too', async () => {
    const threadId = await newThread(ada);
    const first = await ask(app, ada, threadId, 'In the beginning');
    const edited = await ask(app, ada, threadId, 'At the very beginning', { parentId: null });
    expect(await shown(threadId)).toEqual([edited.message.id, edited.answer.id]);
    expect((await messagesOf(ada, threadId))[0]?.siblings).toEqual([first.message.id, edited.message.id]);
    expect(await lastAsk()).toEqual(['At the very beginning']);
    expect((await ada.get(`/api/threads/${threadId}`)).body.title).not.toContain('very');
  });

  test('reject a message that follows a message', async () => {
    const threadId = await newThread(ada);
    const { message } = await ask(app, ada, threadId, 'One');
    const { status, body } = await post(ada, threadId, 'Two', { parentId: message.id });
    expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'invalid_input', ['parentId']]);
  });

  test('add a regenerated answer as a sibling, requested at the question or the answer', async () => {
    const threadId = await newThread(ada);
    const { message, answer } = await ask(app, ada, threadId, 'Once more');
    await ask(app, ada, threadId, 'And then');
    const second = await regenerated(app, ada, answer.id);
    expect(second.message).toMatchObject({ role: 'assistant', parentId: message.id });
    expect(second.message.id).toBe(second.run.messageId);
    const third = await regenerated(app, ada, message.id);
    expect(await shown(threadId)).toEqual([message.id, third.message.id]);
    const [, last] = await messagesOf(ada, threadId);
    expect(last?.siblings).toEqual([answer.id, second.message.id, third.message.id]);
    expect(last?.text).toBe(answer.text);
    expect(await lastAsk()).toEqual(['Once more']);
    await show(threadId, answer.id);
    expect(await shown(threadId)).toHaveLength(4);
  });

  test('regenerate stopped and failed answers', async () => {
    const threadId = await newThread(ada);
    const failed = await ask(app, ada, threadId, '[[401 once]] hello');
    expect(failed.answer.state).toBe('failed');
    const { run } = await regenerated(app, ada, failed.answer.id);
    expect((await messagesOf(ada, threadId)).at(-1)).toMatchObject({ id: run.messageId, state: 'complete' });
  });

  test('create one answer for repeated requests, also ten at once', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'Again and again [[delay 2]]');
    const body = { clientId: clientId() };
    const regenerate = () => ada.post(`/api/messages/${answer.id}/regenerate`, body);
    const answers = await Promise.all(Array.from({ length: 10 }, regenerate));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(new Set(answers.map((one) => one.body.run.id)).size).toBe(1);
    await readEvents(app, ada, answers[0]?.body.run.id);
    const later = await regenerate();
    expect(later.body.run).toMatchObject({ id: answers[0]?.body.run.id, state: 'complete' });
    expect((await messagesOf(ada, threadId)).at(-1)?.siblings).toHaveLength(2);
  });

  test('number messages uniquely, in order of arrival, over all branches', async () => {
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'One');
    await ask(app, ada, threadId, 'Two');
    await ask(app, ada, threadId, 'Two again', { parentId: answer.id });
    await regenerated(app, ada, answer.id);
    await post(ada, threadId, 'Refused', { parentId: 2_000_000_000 });
    await ask(app, ada, threadId, 'Three');
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('messages').select(['id', 'position']).where('thread_id', '=', threadId).orderBy('id').execute(),
    );
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  });

  test('export all branches as JSON, the shown one as Markdown', async () => {
    const threadId = await newThread(ada, { title: 'A “quoted” title/with: things' });
    const first = await ask(app, ada, threadId, 'Old words');
    const edited = await ask(app, ada, threadId, 'New words', { parentId: null });
    const markdown = await ada.get(`/api/threads/${threadId}/export`);
    expect(markdown.headers['content-disposition']).toBe('attachment; filename="A-quoted-titlewith-things.md"');
    expect(markdown.body).toContain('New words');
    expect(markdown.body).toContain(edited.answer.text);
    expect(markdown.body).not.toContain('Old words');
    const { body, headers } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(headers['content-type']).toContain('application/json');
    expect(body.messages.map(({ id }: Message) => id)).toEqual([
      first.message.id,
      first.answer.id,
      edited.message.id,
      edited.answer.id,
    ]);
    expect(body.messages[1]).toMatchObject({ parentId: first.message.id, text: first.answer.text, state: 'complete' });
  });
});
