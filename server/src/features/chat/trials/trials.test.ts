import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, messageOf, post } from '#server/testing/chat';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { newTrial } from '#server/testing/trials';
import { requestsOf } from '#server/testing/usage';

const trialsPath = '/api/assistants/trials';

describe.each(engines)('trials of unsaved settings on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const change = (visitor: HttpClient, id: number, settings: object) =>
    visitor.patch(`${trialsPath}/${id}`, { settings });

  test('are answered with the latest settings, which nobody has saved', async () => {
    const { visitor } = await app.someone();
    const id = await newTrial(visitor, { model: 'gpt-4o', instructions: 'Be long.', temperature: 0.5 });
    await forgetAsks(app);
    await ask(app, visitor, id, 'Hello');
    const next = { model: 'gpt-4o-mini', instructions: 'Be brief.', temperature: 0.1, tools: { webSearch: {} } };
    expect((await change(visitor, id, next)).status).toBe(204);
    await ask(app, visitor, id, 'Hello again');
    const requests = (await asksOf(app)).map(({ body }) => [body.model, body.instructions, body.temperature]);
    expect(requests).toEqual([
      ['gpt-4o', 'Be long.', 0.5],
      ['gpt-4o-mini', 'Be brief.', 0.1],
    ]);
    expect((await asksOf(app))[1]?.body.tools).toMatchObject([{ type: 'web_search' }]);
    expect((await visitor.get('/api/assistants')).body).toEqual([]);
    expect((await visitor.get('/api/threads')).body.items).toEqual([]);
  });

  test('count towards a saved assistant, but not as a version of it', async () => {
    const { visitor } = await app.someone();
    const assistantId = await createAssistant(visitor, { instructions: 'Saved.' });
    const id = await newTrial(visitor, { model: 'gpt-4o', instructions: 'Typed.' }, assistantId);
    await forgetAsks(app);
    const { answer } = await ask(app, visitor, id, 'Hello');
    expect((await asksOf(app)).map(({ body }) => body.instructions)).toEqual(['Typed.']);
    expect((await messageOf(visitor, id, answer.id)).answeredBy).toBeUndefined();
    expect(await requestsOf(visitor)).toMatchObject([{ assistant: { id: assistantId }, temporary: true }]);
  });

  test('answers with the saved assistant once the conversation is kept', async () => {
    const { visitor } = await app.someone();
    const assistantId = await createAssistant(visitor, { instructions: 'Saved.' });
    const id = await newTrial(visitor, { model: 'gpt-4o', instructions: 'Typed.' }, assistantId);
    expect((await visitor.post(`/api/threads/${id}/keep`, {})).status).toBe(200);
    expect((await change(visitor, id, { model: 'gpt-4o' })).status).toBe(404);
    await forgetAsks(app);
    await ask(app, visitor, id, 'Hello');
    expect((await asksOf(app)).map(({ body }) => body.instructions)).toEqual(['Saved.']);
  });

  test('refuses what is not an own trial, and settings that cannot be asked with', async () => {
    const [{ visitor: ada }, { visitor: bob, email }] = [await app.someone(), await app.someone()];
    const assistantId = await createAssistant(ada);
    const id = await newTrial(ada, { model: 'gpt-4o' });
    const { body: thread } = await ada.post('/api/threads', { temporary: true });
    const settings = { model: 'gpt-4o' };
    expect((await bob.post(trialsPath, { assistantId, settings })).status).toBe(404);
    expect((await change(bob, id, settings)).status).toBe(404);
    expect((await post(bob, id, 'Hello')).status).toBe(404);
    expect((await change(ada, thread.id, settings)).status).toBe(404);
    for (const wrong of [
      {},
      { model: '' },
      { model: 'gpt-4o', temperature: 3 },
      { model: 'gpt-4o', responseSchema: '{' },
    ])
      expect((await change(ada, id, wrong)).body.code, JSON.stringify(wrong)).toBe('invalid_input');
    const long = { model: 'gpt-4o', instructions: 'x'.repeat(256_001) };
    expect((await change(ada, id, long)).body.message).toMatch('Instructions cannot exceed 256000 characters');
    expect((await change(ada, id, { ...long, instructions: 'x'.repeat(256_000) })).status).toBe(204);
    await setUser(app, email, { role: 'Viewer' });
    expect((await bob.post(trialsPath, { assistantId: null, settings })).status).toBe(403);
  });
});
