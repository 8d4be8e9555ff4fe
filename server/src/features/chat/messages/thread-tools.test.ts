import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, newThread, regenerated } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';
import { fakeToolRegistry } from '#server/testing/tool-box';

describe.each(engines)('tools switched by a thread on %s', (engine) => {
  let app: TestApp;
  const box = fakeToolRegistry();
  beforeAll(async () => {
    app = await startApp(engine, { tools: { box: box.box, callMs: 2_000 } });
    box.offer('weather', { serverId: 7 });
    box.offer('clock', { serverId: 8 });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const namesIn = ({ body }: { body: { tools?: { type: string; name?: string }[] } }) =>
    (body.tools ?? []).map(({ type, name = type }) => name);
  /** The tools of the last request. */
  const requestedTools = async () => namesIn((await asksOf(app)).at(-1) ?? { body: {} });
  const ofServers = ['demo_weather', 'demo_clock'];
  const patched = async (visitor: HttpClient, threadId: number, tools: unknown) =>
    visitor.patch(`/api/threads/${threadId}`, { tools });

  test("apply to the next message, and fall back to the assistant's when removed", async () => {
    const { visitor } = await app.someone('switcher');
    const domains = ['example.org'];
    const assistantId = await createAssistant(visitor, { tools: { webSearch: { domains }, codeInterpreter: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    await ask(app, visitor, threadId, 'As it is');
    expect(await requestedTools()).toEqual([...ofServers, 'web_search', 'code_interpreter']);

    const changed = await patched(visitor, threadId, { codeInterpreter: false, imageGeneration: true });
    expect([changed.status, changed.body.tools]).toEqual([200, { codeInterpreter: false, imageGeneration: true }]);
    const { answer } = await ask(app, visitor, threadId, 'Switched');
    expect(await requestedTools()).toEqual([...ofServers, 'web_search', 'image_generation']);
    expect((await asksOf(app)).at(-1)?.body.tools[2].filters).toEqual({ allowed_domains: domains });
    await regenerated(app, visitor, answer.id);
    expect(await requestedTools()).toEqual([...ofServers, 'web_search', 'image_generation']);
    expect((await visitor.get(`/api/threads/${threadId}`)).body.tools).toEqual(changed.body.tools);
    expect((await visitor.get('/api/threads')).body.items[0].tools).toEqual(changed.body.tools);
    const { thread } = (await visitor.get(`/api/threads/${threadId}/export?format=json`)).body;
    expect(thread.tools).toEqual(changed.body.tools);

    for (const nothing of [null, {}, { serversOff: [] }]) {
      await patched(visitor, threadId, { webSearch: false });
      expect((await patched(visitor, threadId, nothing)).body).not.toHaveProperty('tools');
    }
    await ask(app, visitor, threadId, 'As before');
    expect(await requestedTools()).toEqual([...ofServers, 'web_search', 'code_interpreter']);
  });

  test('work without an assistant, from the first message on, and with several models', async () => {
    const { visitor } = await app.someone('modeller');
    const threadId = await newThread(visitor, { model: 'gpt-4o', tools: { webSearch: true }, title: 'Named' });
    await ask(app, visitor, threadId, 'Alone', { models: ['gpt-4o', 'gpt-4o-mini'] });
    const both = (await asksOf(app)).slice(-2);
    expect(both.map(namesIn)).toEqual([['web_search'], ['web_search']]);
  });

  test('stay when another assistant answers, and are rejected if unknown', async () => {
    const { visitor } = await app.someone('changer');
    const threadId = await newThread(visitor, { tools: { webSearch: true, serversOff: [7] }, title: 'Named' });
    const assistantId = await createAssistant(visitor, { tools: { codeInterpreter: {} } });
    const { body } = await visitor.patch(`/api/threads/${threadId}`, { assistantId });
    expect(body.tools).toEqual({ webSearch: true, serversOff: [7] });
    await ask(app, visitor, threadId, 'Another one');
    expect(await requestedTools()).toEqual(['demo_clock', 'web_search', 'code_interpreter']);
    const numbers = Array.from({ length: 101 }, (_, index) => index + 1);
    for (const tools of [
      { telepathy: true },
      { webSearch: {} },
      'all',
      { serversOff: [1, 1] },
      { serversOff: numbers },
    ])
      expect([(await patched(visitor, threadId, tools)).status, tools]).toEqual([400, tools]);
  });
});
