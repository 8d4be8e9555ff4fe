import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, clientId, messagesOf, newThread, sendMessage } from '#server/testing/chat';
import { cursorOf } from '#server/testing/cursor';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

/** Objects of Ada that nobody else may reach. */
type Owned = { threadId: number; messageId: number; runId: number };
type Headers = Record<string, string>;
type Call = (visitor: HttpClient, owned: Owned, headers?: Headers) => ReturnType<HttpClient['get']>;

const draft = () => ({ message: 'Let me in', clientId: clientId() });
const reading: [name: string, call: Call][] = [
  ['read', (visitor, { threadId }, headers = {}) => visitor.get(`/api/threads/${threadId}`, { headers })],
  ['messages', (visitor, { threadId }, headers = {}) => visitor.get(`/api/threads/${threadId}/messages`, { headers })],
  [
    'messages around',
    (visitor, { threadId, messageId }, headers = {}) =>
      visitor.get(`/api/threads/${threadId}/messages?around=${messageId}`, { headers }),
  ],
  [
    'messages by cursor',
    (visitor, { threadId, messageId }, headers = {}) =>
      visitor.get(`/api/threads/${threadId}/messages?cursor=${cursorOf(['older', 1, messageId])}`, { headers }),
  ],
  ['export', (visitor, { threadId }, headers = {}) => visitor.get(`/api/threads/${threadId}/export`, { headers })],
  [
    'export as JSON',
    (visitor, { threadId }, headers = {}) => visitor.get(`/api/threads/${threadId}/export?format=json`, { headers }),
  ],
  ['events', (visitor, { runId }, headers = {}) => visitor.get(`/api/runs/${runId}/events`, { headers })],
];
const changing: [name: string, call: Call][] = [
  [
    'change',
    (visitor, { threadId }, headers = {}) => visitor.patch(`/api/threads/${threadId}`, { title: 'Mine' }, { headers }),
  ],
  [
    'show a branch',
    (visitor, { threadId, messageId }, headers = {}) =>
      visitor.patch(`/api/threads/${threadId}`, { shownMessageId: messageId }, { headers }),
  ],
  [
    'send',
    (visitor, { threadId }, headers = {}) => visitor.post(`/api/threads/${threadId}/messages`, draft(), { headers }),
  ],
  [
    'regenerate',
    (visitor, { messageId }, headers = {}) => visitor.post(`/api/messages/${messageId}/regenerate`, {}, { headers }),
  ],
  ['stop', (visitor, { runId }, headers = {}) => visitor.post(`/api/runs/${runId}/stop`, {}, { headers })],
  [
    'delete',
    (visitor, { threadId }, headers = {}) => visitor.delete(`/api/threads/${threadId}`, undefined, { headers }),
  ],
];
const unknown: Owned = { threadId: 2_000_000_000, messageId: 2_000_000_000, runId: 2_000_000_000 };

describe.each(engines)('access to threads on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let owned: Owned;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    const threadId = await newThread(ada, { title: 'Ada’s own' });
    const { message, run } = await ask(app, ada, threadId, 'A private matter');
    owned = { threadId, messageId: message.id, runId: run.id };
  });
  afterAll(() => app.stop());

  const untouched = async () => {
    expect((await ada.get(`/api/threads/${owned.threadId}`)).body).toMatchObject({ title: 'Ada’s own', runId: null });
    const messages = await messagesOf(ada, owned.threadId);
    expect(messages.map(({ role, text, state }) => [role, text === 'A private matter', state])).toEqual([
      ['user', true, 'complete'],
      ['assistant', false, 'complete'],
    ]);
  };

  test.each([...reading, ...changing])(
    '%s: answers "not found" for another user\'s object, as for an unknown one',
    async (_name, call) => {
      for (const name of ['bob', 'carol']) {
        const other = name === 'bob' ? await app.withKey('bob') : await app.as('carol');
        const foreign = await call(other, owned);
        const none = await call(other, unknown);
        expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
        expect({ ...foreign.body, requestId: '' }).toEqual({ ...none.body, requestId: '' });
      }
      await untouched();
    },
  );

  test("denies administrators access to other users' threads", async () => {
    const bob = await app.withKey('bob');
    const threadId = await newThread(bob);
    const { message, run } = await ask(app, bob, threadId, 'Not for administrators');
    const theirs = { threadId, messageId: message.id, runId: run.id };
    expect((await ada.get('/api/user')).body.role).toBe('Admin');
    for (const [, call] of [...reading, ...changing]) expect((await call(ada, theirs)).status).toBe(404);
    expect(await messagesOf(bob, threadId)).toHaveLength(2);
  });

  test("lists and finds only the user's own threads", async () => {
    const bob = await app.withKey('bob');
    for (const query of ['', '?q=private', '?q=own', '?archived=true']) {
      const { body } = await bob.get(`/api/threads${query}`);
      expect(body.items.every(({ id }: { id: number }) => id !== owned.threadId)).toBe(true);
    }
  });

  test.each([...reading, ...changing])('%s: rejects requests without a session', async (_name, call) => {
    const { status, body } = await call(app.visitor(), owned);
    expect([status, body.code]).toEqual([401, 'not_signed_in']);
    await untouched();
  });

  test.each(changing)('%s: rejects requests from another site', async (_name, call) => {
    const { status, body } = await call(ada, owned, { 'sec-fetch-site': 'cross-site' });
    expect([status, body.code]).toEqual([403, 'cross_site']);
    await untouched();
  });

  test.each(changing.filter(([name]) => name !== 'delete'))(
    '%s: rejects bodies that are not JSON',
    async (_name, call) => {
      const { status, body } = await call(ada, owned, { 'content-type': 'text/plain' });
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
      await untouched();
    },
  );

  test('rejects new threads the same way', async () => {
    expect((await app.visitor().post('/api/threads')).status).toBe(401);
    expect((await app.visitor().get('/api/threads')).status).toBe(401);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await ada.post('/api/threads', {}, { headers })).status).toBe(403);
  });

  test('rejects unknown fields, also those that only the server may set', async () => {
    const { threadId, messageId, runId } = owned;
    const attempts: [path: string, body: Record<string, unknown>, method: 'post' | 'patch'][] = [
      ['/api/threads', { userId: 1 }, 'post'],
      ['/api/threads', { title: 'x', createdAt: '2020-01-01T00:00:00.000Z' }, 'post'],
      [`/api/threads/${threadId}`, { id: 3 }, 'patch'],
      [`/api/threads/${threadId}`, { updatedAt: '2030-01-01T00:00:00.000Z' }, 'patch'],
      [`/api/threads/${threadId}`, { headMessageId: messageId }, 'patch'],
      [`/api/threads/${threadId}/messages`, { ...draft(), role: 'assistant' }, 'post'],
      [`/api/threads/${threadId}/messages`, { ...draft(), position: 1 }, 'post'],
      [`/api/messages/${messageId}/regenerate`, { assistantId: 1 }, 'post'],
      [`/api/runs/${runId}/stop`, { state: 'complete' }, 'post'],
    ];
    for (const [path, body, method] of attempts) {
      const answer = await ada[method](path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_input']);
    }
    for (const query of ['userId=1', 'limit=0', 'limit=101', 'archived=yes', `q=${'x'.repeat(201)}`])
      expect((await ada.get(`/api/threads?${query}`)).status).toBe(400);
    const wrong = [cursorOf(['older', 'x', 1]), cursorOf(['newer', 1, 99_999_999_999])].map(
      (cursor) => `cursor=${cursor}`,
    );
    for (const query of ['limit=201', 'around=x', 'around=0', ...wrong, 'a=b'])
      expect((await ada.get(`/api/threads/${threadId}/messages?${query}`)).status).toBe(400);
    for (const id of ['0', '-1', 'x', '1.5', '2147483648', '9'.repeat(30)])
      expect((await ada.get(`/api/threads/${id}`)).status).toBe(400);
    await untouched();
  });

  test("rejects references to other users' objects as unknown", async () => {
    const bob = await app.withKey('bob');
    const threadId = await newThread(bob);
    await ask(app, bob, threadId, 'hello');
    const assistantId = await createAssistant(ada);
    const other = await newThread(bob);
    const elsewhere = await ask(app, bob, other, 'hello');
    const attempts = (assistant: number, message: number) => [
      bob.post('/api/threads', { assistantId: assistant }),
      bob.patch(`/api/threads/${threadId}`, { assistantId: assistant }),
      bob.patch(`/api/threads/${threadId}`, { shownMessageId: message }),
      bob.post(`/api/threads/${threadId}/messages`, { ...draft(), parentId: message }),
      bob.get(`/api/threads/${threadId}/messages?around=${message}`),
      bob.get(`/api/threads/${threadId}/messages?cursor=${cursorOf(['older', 1, message])}`),
    ];
    const none = await Promise.all(attempts(2_000_000_000, 2_000_000_000));
    for (const message of [owned.messageId, elsewhere.message.id]) {
      const answers = await Promise.all(attempts(assistantId, message));
      for (const [index, { status, body }] of answers.entries()) {
        expect([status, body.code]).toEqual([404, 'not_found']);
        expect({ ...body, requestId: '' }).toEqual({ ...none[index]?.body, requestId: '' });
      }
    }
    expect(await messagesOf(bob, threadId)).toHaveLength(2);
    expect((await bob.get(`/api/threads/${threadId}`)).body.assistantId).toBeNull();
    const withFile = await bob.post(`/api/threads/${threadId}/messages`, { ...draft(), fileIds: [1] });
    expect([withFile.status, withFile.body.code]).toEqual([404, 'not_found']);
  });

  test('falls back to the default model when the assistant is deleted', async () => {
    const bob = await app.withKey('bob');
    const assistantId = await createAssistant(bob, { model: 'gpt-4.1' });
    const threadId = await newThread(bob, { assistantId });
    expect((await ask(app, bob, threadId, 'hello')).answer.model).toBe('gpt-4.1');
    await bob.delete(`/api/assistants/${assistantId}`);
    expect((await bob.get(`/api/threads/${threadId}`)).body.assistantId).toBeNull();
    expect((await ask(app, bob, threadId, 'hello again')).answer.model).toBe('gpt-4o');
  });

  test('lets a Viewer chat', async () => {
    const viewer = await app.withKey('viewer');
    await setUser(app, 'viewer@example.com', { role: 'Viewer' });
    const threadId = await newThread(viewer);
    const { answer } = await ask(app, viewer, threadId, 'hello');
    expect(answer.state).toBe('complete');
    const { run } = await sendMessage(viewer, threadId, '[[hang]]');
    expect((await viewer.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
    expect((await viewer.delete(`/api/threads/${threadId}`)).status).toBe(204);
  });
});
