import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { newConnection } from '#server/testing/connections';
import type { HttpClient } from '#server/testing/http-client';
import { startRawProvider } from '#server/testing/raw-provider';

describe.each(engines)('connections at the ends of ranges on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  test('cannot have a name that is the number of another connection', async () => {
    const draft = { preset: 'other', baseUrl: app.provider.url, key: `sk-${'k'.repeat(32)}` };
    const named = await ada.post('/api/connections', { ...draft, name: '@5' });
    expect([named.status, named.body.fields]).toEqual([400, { name: 'Name cannot be @ and a number' }]);
    const { id } = await newConnection(app, ada, '@home');
    expect((await ada.patch(`/api/connections/${id}`, { name: '@123' })).status).toBe(400);
  });

  test('store an address without what has no meaning in it', async () => {
    const { port } = new URL(app.provider.url);
    for (const [name, baseUrl] of [
      ['Mark', `HTTP://127.0.0.1:${port}/v1/?#`],
      ['User', `http://:@127.0.0.1:${port}/v1//`],
    ]) {
      const made = await ada.post('/api/connections', { preset: 'other', name, baseUrl, key: `sk-${'k'.repeat(32)}` });
      expect([made.status, made.body.baseUrl]).toEqual([201, `http://127.0.0.1:${port}/v1`]);
    }
  });

  test('are told apart where the fallback is the same model at another one', async () => {
    const down = await startRawProvider(() => ({ status: 402, packets: ['{"error":{"message":"No credit"}}'] }));
    onTestFinished(() => down.close());
    const draft = { preset: 'other', name: 'Down', api: 'chat', baseUrl: down.url };
    const { id } = (await ada.post('/api/connections', draft)).body;
    const { id: other } = await newConnection(app, ada, 'Up');
    const models = { model: `@${id}/gpt-4o`, fallbackModel: `@${other}/gpt-4o` };
    const assistantId = await createAssistant(ada, models);
    const { answer } = await ask(app, ada, await newThread(ada, { assistantId, title: 'Named' }), 'One');
    expect(answer.notes).toEqual([
      expect.stringContaining('the assistant’s fallback, the same model at another connection, was asked.'),
    ]);
  });

  test('say why their models cannot be chosen: unlisted, paused or removed', async () => {
    const { id } = await newConnection(app, ada, 'Home');
    const assistantId = await createAssistant(ada);
    const reasons = async (model: string) => [
      (await ada.patch(`/api/assistants/${assistantId}`, { model })).body.message,
      (await ada.patch(`/api/assistants/${assistantId}`, { fallbackModel: model })).body.message,
      (await ada.post('/api/assistants/move', { fromModel: 'gpt-4o', toModel: model })).body.message,
    ];
    const all = (reason: string) => [reason, reason, reason];
    expect(await reasons(`@${id}/nothing`)).toEqual(all('Model nothing is not among those of Home'));
    await ada.patch(`/api/connections/${id}`, { isPaused: true });
    const paused = 'The connection Home is paused. Resume it, or choose another model';
    expect(await reasons(`@${id}/gpt-4o`)).toEqual(all(paused));
    await ada.delete(`/api/connections/${id}`);
    expect(await reasons(`@${id}/gpt-4o`)).toEqual(all('The connection of this model was removed'));
  });
});
