import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, clientId, messagesOf, newThread, post, sendMessage } from '#server/testing/chat';
import { readEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('sending a message on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const stop = (visitor: HttpClient, runId: number) => visitor.post(`/api/runs/${runId}/stop`);
  const asksFor = async (words: string) =>
    (await asksOf(app)).filter(({ body }) => JSON.stringify(body?.input).includes(words));

  test('stores it before the provider answers', async () => {
    const threadId = await newThread(ada);
    const { message, run } = await sendMessage(ada, threadId, '[[hang]] Is anybody there?');
    expect(message).toMatchObject({ threadId, role: 'user', text: '[[hang]] Is anybody there?', parentId: null });
    expect(run).toMatchObject({ threadId, state: 'queued' });
    const messages = await messagesOf(ada, threadId);
    expect(messages[0]).toEqual(message);
    expect(messages[1]).toMatchObject({ id: run.messageId, role: 'assistant', parentId: message.id, text: '' });
    expect(messages[1]?.run?.id).toBe(run.id);
    await stop(ada, run.id);
  });

  test('returns the first result for a repeated request', async () => {
    const threadId = await newThread(ada);
    const once = { clientId: clientId() };
    const first = await sendMessage(ada, threadId, 'Only once, sequentially', once);
    await readEvents(app, ada, first.run.id);
    const again = await post(ada, threadId, 'Only once, sequentially', once);
    expect([again.status, again.body.message]).toEqual([202, first.message]);
    expect(again.body.run).toMatchObject({ id: first.run.id, messageId: first.run.messageId, state: 'complete' });
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
    expect(await asksFor('Only once, sequentially')).toHaveLength(1);
  });

  test('creates one message and one run for ten concurrent requests', async () => {
    const threadId = await newThread(ada);
    const once = { clientId: clientId() };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(ada, threadId, 'Only once, together [[delay 5]]', once)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(new Set(answers.map(({ body }) => `${body.message.id} ${body.run.id}`)).size).toBe(1);
    await readEvents(app, ada, answers[0]?.body.run.id);
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
    expect(await asksFor('Only once, together')).toHaveLength(1);
  });

  test('creates one message for concurrent requests in two threads', async () => {
    const threads = [await newThread(ada), await newThread(ada)];
    const once = { clientId: clientId() };
    const answers = await Promise.all(threads.map((threadId) => post(ada, threadId, 'Only in one', once)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    await readEvents(app, ada, answers.find(({ status }) => status === 202)?.body.run.id);
    const stored = await Promise.all(threads.map((threadId) => messagesOf(ada, threadId)));
    expect(stored.map((messages) => messages.length).toSorted()).toEqual([0, 2]);
  });

  test('accepts the same client id from two users', async () => {
    const bob = await app.withKey('bob');
    const same = { clientId: 'chosen-by-chance' };
    const [hers, his] = [await newThread(ada), await newThread(bob)];
    await ask(app, ada, hers, 'hello from Ada', same);
    await ask(app, bob, his, 'hello from Bob', same);
    expect((await messagesOf(bob, his))[0]?.text).toBe('hello from Bob');
  });

  test('accepts 10,000 characters unchanged and rejects one more', async () => {
    const threadId = await newThread(ada);
    const longest = `${'🦜é\n'.repeat(3333)}.`;
    const { message, answer } = await ask(app, ada, threadId, longest);
    expect(message.text).toBe(longest);
    expect(answer.state).toBe('complete');
    for (const tooLong of [`${longest}!`, 'x'.repeat(10_001), 'x'.repeat(100_000)]) {
      const { status, body } = await post(ada, threadId, tooLong);
      expect([status, body.fields]).toEqual([400, { message: 'Message cannot exceed 10000 characters' }]);
    }
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
  });

  test('rejects an empty or blank text and an invalid client id', async () => {
    const threadId = await newThread(ada);
    for (const empty of ['', '   ', '\n\t']) {
      const { status, body } = await post(ada, threadId, empty);
      expect([status, body.fields]).toEqual([400, { message: 'Message is required' }]);
    }
    for (const wrong of ['short', 'x'.repeat(65), 'with space', 'quote"'])
      expect((await post(ada, threadId, 'hello', { clientId: wrong })).status).toBe(400);
    expect((await ada.post(`/api/threads/${threadId}/messages`, { message: 'hello' })).status).toBe(400);
    expect((await post(ada, threadId, 'a\0b')).status).toBe(400);
    expect(await messagesOf(ada, threadId)).toEqual([]);
  });

  test('rejects it without a provider key, and stores nothing', async () => {
    const carol = await app.as('carol');
    const threadId = await newThread(carol);
    const once = { clientId: clientId() };
    const { status, body } = await post(carol, threadId, 'Nobody to ask', once);
    expect([status, body.code]).toEqual([409, 'no_api_key']);
    expect(await messagesOf(carol, threadId)).toEqual([]);
    // The composer keeps the message and sends it again once there is a key.
    await carol.post('/api/settings/apikey', { apiKey: goodKey });
    expect((await ask(app, carol, threadId, 'Nobody to ask', once)).answer.state).toBe('complete');
  });

  test('rejects it while an answer is being written in the thread', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, '[[hang]]');
    const refused = await post(ada, threadId, 'And another thing');
    expect([refused.status, refused.body.code]).toEqual([409, 'run_in_progress']);
    const regenerate = await ada.post(`/api/messages/${run.messageId}/regenerate`);
    expect([regenerate.status, regenerate.body.code]).toEqual([409, 'run_in_progress']);
    await stop(ada, run.id);
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
    expect((await ask(app, ada, threadId, 'And another thing')).answer.state).toBe('complete');
  });

  test('accepts one of several concurrent messages in a thread', async () => {
    const threadId = await newThread(ada);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => post(ada, threadId, `[[hang]] Number ${index}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409, 409]);
    const taken = answers.find(({ status }) => status === 202);
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
    await stop(ada, taken?.body.run.id);
  });

  test('writes three answers at a time per user', async () => {
    const dave = await app.withKey('dave');
    const threads = [];
    for (let number = 0; number < 8; number++) threads.push(await newThread(dave));
    const answers = await Promise.all(threads.map((threadId) => post(dave, threadId, '[[hang]]')));
    const taken = answers.filter(({ status }) => status === 202);
    expect(taken).toHaveLength(3);
    for (const { status, body } of answers)
      if (status !== 202) expect([status, body.code]).toEqual([409, 'too_many_runs']);
    const bob = await app.withKey('bob');
    expect((await ask(app, bob, await newThread(bob), 'hello')).answer.state).toBe('complete');
    await stop(dave, taken[0]?.body.run.id);
    const next = await sendMessage(dave, await newThread(dave), '[[hang]]');
    for (const runId of [...taken.slice(1).map(({ body }) => body.run.id), next.run.id]) await stop(dave, runId);
  });
});
