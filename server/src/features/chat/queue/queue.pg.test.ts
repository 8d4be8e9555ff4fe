import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { ask, messagesOf, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { enqueued, queueOf } from '#server/testing/queue';

describe('messages in line with two processes on one PostgreSQL', () => {
  let app: TestApp;
  let here: HttpClient;
  let there: HttpClient;
  beforeAll(async () => {
    app = await startApp('postgres');
    const second = await app.secondProcess();
    here = await app.withKey('ada');
    there = createHttpClient(() => second);
    for (const [name, value] of here.cookies) there.cookies.set(name, value);
  });
  afterAll(() => app.stop());

  const questionsOf = async (threadId: number) =>
    (await messagesOf(here, threadId)).filter(({ role }) => role === 'user').map(({ text }) => text);
  const untilAnswered = (threadId: number, count: number) =>
    until('The answers', async () => {
      const messages = await messagesOf(here, threadId);
      return messages.length === 2 * count && messages.at(-1)?.state === 'complete';
    });

  test('are sent by the process that wrote the answer, wherever they were lined up', async () => {
    const threadId = await newThread(here, { title: 'Named' });
    await sendMessage(here, threadId, 'first [[bench 40]] [[delay 20]]');
    await enqueued(there, threadId, 'second');
    expect(await queueOf(here, threadId)).toMatchObject([{ text: 'second' }]);
    await untilAnswered(threadId, 2);
    expect(await questionsOf(threadId)).toEqual(['first [[bench 40]] [[delay 20]]', 'second']);
  });

  test('are sent now although the other process writes the answer', async () => {
    const threadId = await newThread(here, { title: 'Named' });
    await sendMessage(here, threadId, 'first [[bench 40000]] [[delay 20]]');
    const [waiting] = await enqueued(here, threadId, 'second');
    expect((await there.post(`/api/queued-messages/${waiting?.id}/send`, {})).status).toBe(200);
    await untilAnswered(threadId, 2);
    expect(await messagesOf(here, threadId)).toMatchObject([{}, { state: 'stopped' }, { text: 'second' }, {}]);
  });

  test('are sent once and in order if both processes send them at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const threadId = await newThread(here, { title: 'Named' });
      await ask(app, here, threadId, 'first');
      const { id: userId } = (await here.get('/api/user')).body;
      const texts = ['second', 'third', 'fourth'];
      const rows = texts.map((text, index) => ({
        ...{ user_id: userId, thread_id: threadId, position: index + 1, text, files: '[]', models: '[]' },
        ...{ over_budget: 0 as const, held: 'stopped' as const, problem: null, created_at: '2026-11-28T00:00:00.000Z' },
        ...{ client_id: `round-${round}-${index}`, client_digest: text },
      }));
      await withDatabase(app, (db) => db.insertInto('queued_messages').values(rows).execute());
      const [first] = await queueOf(here, threadId);
      const path = `/api/queued-messages/${first?.id}/send`;
      await Promise.all([here, there, here, there].map((client) => client.post(path, {})));
      await untilAnswered(threadId, 4);
      expect(await questionsOf(threadId)).toEqual(['first', ...texts]);
      expect(await queueOf(there, threadId)).toEqual([]);
    }
  });
});
