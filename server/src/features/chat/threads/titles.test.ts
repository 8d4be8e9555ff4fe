import { defaultPreferences } from '@roster/contracts/account';
import { cheapestTitleModel } from '@roster/contracts/models/models';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread, regenerated, sendMessage, titleAsksOf, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { openEvents, readEvents } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('titles on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const titleOf = async (threadId: number): Promise<string> => (await ada.get(`/api/threads/${threadId}`)).body.title;
  const titleRequests = async (words: string) =>
    (await titleAsksOf(app)).filter(({ body }) => JSON.stringify(body.input).includes(words));
  const titleUsage = (runId: number) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('usage_records')
        .selectAll()
        .where('run_id', '=', runId)
        .where('purpose', '=', 'title')
        .executeTakeFirst(),
    );
  const suggested = (runId: number) => until('The suggestion', () => titleUsage(runId));

  test('start as the first words, cut between words', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, `[[hang]]   Describe\nthe ${'slow '.repeat(20)}growth of lichen`);
    const title = await titleOf(threadId);
    expect(title).toMatch(/^\[\[hang\]\] Describe the (slow )+slow…$/);
    expect(title.length).toBeLessThanOrEqual(61);
    await ada.post(`/api/runs/${run.id}/stop`);
    // No suggestion after a stopped answer.
    expect(await titleRequests('growth of lichen')).toEqual([]);
    expect(await titleOf(threadId)).toBe(title);
  });

  test('end at whole characters', async () => {
    const family = '👨‍👩‍👧‍👦';
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, `${family.repeat(20)}[[hang]]`);
    expect(await titleOf(threadId)).toBe(`${family.repeat(5)}…`);
    await ada.post(`/api/runs/${run.id}/stop`);
  });

  test('are suggested after the first exchange, and counted', async () => {
    const threadId = await newThread(ada, { assistantId: await createAssistant(ada, { model: 'gpt-4.1' }) });
    const { run, answer } = await ask(app, ada, threadId, 'Which moss grows on granite?');
    const cheapest = cheapestTitleModel((await ada.get('/api/models')).body.models)?.id;
    expect(cheapest).toMatch(/nano|luna/);
    expect(await suggested(run.id)).toMatchObject({ model: cheapest, thread_id: threadId, estimated: 0 });
    expect(await titleOf(threadId)).toBe('Moss grows granite');
    const [request] = await titleRequests('moss grows on granite');
    expect(request?.body).toMatchObject({ model: cheapest, store: false });
    expect(request?.body.input[0].content).toContain(answer.text.slice(0, 50));
    const found = await ada.get('/api/threads?q=granite');
    expect(found.body.items.map(({ id }: { id: number }) => id)).toEqual([threadId]);
    // The title's cost is separate from the message's.
    expect((await ada.get(`/api/threads/${threadId}/messages`)).body.items[1].usage).toEqual(answer.usage);
  });

  const choose = async (titleModel: string | null) =>
    ada.post('/api/settings/preferences', { ...defaultPreferences, titleModel });

  test('are requested from the model that the user has chosen, or not at all', async () => {
    expect((await choose('gpt-4.1')).body).toMatchObject({ titleModel: 'gpt-4.1' });
    const { titleModel: _, ...others } = defaultPreferences;
    expect((await ada.post('/api/settings/preferences', others)).body).toMatchObject({ titleModel: 'gpt-4.1' });
    const { run } = await ask(app, ada, await newThread(ada), 'Sorrel on the shore');
    expect(await suggested(run.id)).toMatchObject({ model: 'gpt-4.1' });
    await choose('');
    const threadId = await newThread(ada);
    await ask(app, ada, threadId, 'Sorrel in the sand');
    await ask(app, ada, threadId, 'And then?');
    await choose(null);
    expect(await titleRequests('Sorrel in the sand')).toEqual([]);
    expect(await titleOf(threadId)).toBe('Sorrel in the sand');
  });

  test('stay the first words in API threads, without a request', async () => {
    const { token } = await newToken(ada);
    const headers = { 'openai-beta': 'assistants=v2' };
    const api = (path: string, body?: object) =>
      callApi(app, token, `/v1/${path}`, { headers, ...(body && { method: 'POST' as const, body }) });
    const { body: assistant } = await api('assistants', { model: 'gpt-4.1' });
    const messages = [{ role: 'user', content: 'Yarrow for a program' }];
    const { body: run } = await api('threads/runs', { assistant_id: assistant.id, thread: { messages } });
    await until('The end of the run', async () => {
      const { body } = await api(`threads/${run.thread_id}/runs/${run.id}`);
      return body.status === 'completed';
    });
    const { body } = await ada.get('/api/threads?q=Yarrow&programs=true');
    expect(body.items.map(({ title }: { title: string }) => title)).toEqual(['Yarrow for a program']);
    await ask(app, ada, body.items[0].id, 'Yarrow from its person');
    expect(await titleRequests('Yarrow')).toEqual([]);
  });

  test('are suggested once, not after the second exchange or a new answer', async () => {
    const threadId = await newThread(ada);
    const { run, answer } = await ask(app, ada, threadId, 'Ferns in the cellar');
    await suggested(run.id);
    const title = await titleOf(threadId);
    await ask(app, ada, threadId, 'Ferns in the attic');
    await regenerated(app, ada, answer.id);
    await ask(app, ada, threadId, 'Ferns in the kitchen', { parentId: null });
    expect(await titleRequests('Ferns in the')).toHaveLength(1);
    expect(await titleOf(threadId)).toBe(title);
  });

  test('are not suggested if the user has chosen one', async () => {
    const threadId = await newThread(ada, { title: 'My own title' });
    await ask(app, ada, threadId, 'Heather on the hills');
    const renamed = await newThread(ada);
    const { run } = await sendMessage(ada, renamed, 'Heather in the valleys [[delay 5]]');
    await ada.patch(`/api/threads/${renamed}`, { title: 'Renamed meanwhile' });
    await readEvents(app, ada, run.id);
    await ask(app, ada, renamed, 'And then');
    expect(await titleRequests('Heather')).toEqual([]);
    expect([await titleOf(threadId), await titleOf(renamed)]).toEqual(['My own title', 'Renamed meanwhile']);
  });

  test('never replace a title that was chosen during the request', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, 'Clover by the lake [[delay 5]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(1);
    await withFault(app, { delayMs: 300 }, { path: '/responses' }, async () => {
      await reader.all();
      await until('The request for a title', async () => (await titleRequests('Clover by the lake')).length > 0);
      await ada.patch(`/api/threads/${threadId}`, { title: 'Chosen just now' });
      await suggested(run.id);
    });
    expect(await titleOf(threadId)).toBe('Chosen just now');
  });

  test.each([
    ['refuses', { fail: 'invalid_api_key' as const }],
    ['has no credit', { fail: 'insufficient_quota' as const }],
    ['breaks off', { dropAfter: 1 }],
    ['sends nonsense', { malformedAfter: 0 }],
  ])('ignore a provider that %s', async (kind, fault) => {
    const threadId = await newThread(ada);
    const words = `Thistles where it ${kind}`;
    const { run } = await sendMessage(ada, threadId, `${words} [[delay 5]]`);
    const reader = await openEvents(app, ada, run.id);
    await reader.until(1);
    await withFault(app, fault, { path: '/responses' }, async () => {
      const events = await reader.all();
      expect(events.filter(({ event }) => event.type === 'finished' || event.type === 'failed')).toHaveLength(1);
      await until('The request for a title', async () =>
        (await titleRequests(words)).some(({ status }) => status !== null),
      );
    });
    // The next message is not affected.
    const { answer } = await ask(app, ada, threadId, 'And now?');
    expect(answer.state).toBe('complete');
    expect((await ada.get(`/api/threads/${threadId}/messages`)).body.items[1]).toMatchObject({ state: 'complete' });
    expect(await titleOf(threadId)).toBe(`${words} [[delay 5]]`);
    expect(await titleUsage(run.id)).toBeUndefined();
    expect(app.logLines.join('')).not.toMatch(/"level":[56]0/);
    expect((await ada.get('/api/user/config')).body.apiKeyVerified).toBe(true);
  });
});
