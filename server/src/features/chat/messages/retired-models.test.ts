import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, post, regenerated } from '#server/testing/chat';
import { callsOf } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('a retired model in a thread on %s', (engine) => {
  let app: TestApp;
  let today: string;
  let ada: HttpClient;
  beforeAll(async () => {
    today = '2027-01-13';
    app = await startApp(engine, { now: () => Date.parse(`${today}T12:00:00Z`), simulator: { day: () => today } });
    ada = await app.withKey('ada');
    await ada.get('/api/models');
  });
  beforeEach(() => {
    today = '2027-01-13';
  });
  afterAll(() => app.stop());

  const requestCount = async () => (await callsOf(app, 'POST', /\/responses$/)).length;
  const message = 'gpt-4o retired on January 14, 2027. Continue with gpt-6.1-terra, or choose another model.';
  const refused = { status: 409, body: { code: 'model_ended', message } };

  test('is rejected before anything is stored; the thread continues with its successor', async () => {
    // With a title, no other request reaches the provider meanwhile.
    const threadId = await newThread(ada, { model: 'gpt-4o', title: 'Before and after' });
    const { message: question } = await ask(app, ada, threadId, 'Before');
    today = '2027-01-14';
    const before = await requestCount();
    expect(await post(ada, threadId, 'After')).toMatchObject(refused);
    expect(await ada.post(`/api/messages/${question.id}/regenerate`)).toMatchObject(refused);
    expect([await requestCount(), (await messagesOf(ada, threadId)).length]).toEqual([before, 2]);
    expect((await ada.patch(`/api/threads/${threadId}`, { model: 'gpt-6.1-terra' })).status).toBe(200);
    const { answer } = await ask(app, ada, threadId, 'After');
    expect(answer).toMatchObject({ state: 'complete', model: 'gpt-6.1-terra' });
  });

  test('is rejected for an assistant until the assistant has another model', async () => {
    const assistantId = await createAssistant(ada, { temperature: 0.7 });
    const threadId = await newThread(ada, { assistantId });
    await ask(app, ada, threadId, 'Before');
    today = '2027-01-14';
    expect(await post(ada, threadId, 'After')).toMatchObject(refused);
    expect(await post(ada, threadId, 'After', { models: ['gpt-6-luna', 'gpt-4o'] })).toMatchObject({ status: 409 });
    await ada.patch(`/api/assistants/${assistantId}`, { model: 'gpt-6.1-terra' });
    // The successor rejects a temperature while it reasons, so it is omitted.
    expect((await ask(app, ada, threadId, 'After')).answer.state).toBe('complete');
  });

  test('is not replaced silently as the default; a new thread starts with the new model', async () => {
    today = '2026-10-01';
    const threadId = await newThread(ada);
    expect((await ask(app, ada, threadId, 'Before')).answer.model).toBe('gpt-4o');
    today = '2027-01-14';
    expect(await post(ada, threadId, 'After')).toMatchObject(refused);
    const other = await newThread(ada);
    expect((await post(ada, other, 'Hello')).status).toBe(202);
    await ada.patch(`/api/threads/${threadId}`, { model: 'gpt-6.1-terra' });
    expect((await ask(app, ada, threadId, 'After')).answer.model).toBe('gpt-6.1-terra');
  });

  test('is rejected for an API run with an error of the API', async () => {
    const { visitor } = await app.someone();
    await visitor.get('/api/models');
    const { token } = await newToken(visitor, { rights: ['assistants', 'chat'] });
    const headers = { 'openai-beta': 'assistants=v2' };
    const post = (path: string, body: object) => callApi(app, token, path, { method: 'POST', body, headers });
    const { body: assistant } = await post('/v1/assistants', { model: 'gpt-4o' });
    const { body: thread } = await post('/v1/threads', { messages: [{ role: 'user', content: 'Hello' }] });
    today = '2027-01-14';
    const before = await requestCount();
    const run = await post(`/v1/threads/${thread.id}/runs`, { assistant_id: assistant.id });
    expect(run).toMatchObject({ status: 404, body: { error: { code: 'model_not_found', message } } });
    expect(await requestCount()).toBe(before);
  });

  test('is requested if only the catalog retires it, and the error names the successor', async () => {
    const { visitor } = await app.someone();
    const threadId = await newThread(visitor, { model: 'gpt-4-turbo' });
    const { message: question, answer } = await ask(app, visitor, threadId, 'Hello');
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'model_not_found', successor: 'gpt-6.1-terra' } });
    // Known to be missing once the list was read.
    await visitor.get('/api/models');
    expect(await post(visitor, threadId, 'Again')).toMatchObject({ status: 409, body: { code: 'model_ended' } });
    await visitor.patch(`/api/threads/${threadId}`, { model: 'gpt-6-luna' });
    await regenerated(app, visitor, question.id);
  });
});
