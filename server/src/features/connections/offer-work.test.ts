import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messageOf, messagesOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { askPrompt, compared, judge, judgedBy, newComparison, startOf } from '#server/testing/comparisons';
import { newOffer } from '#server/testing/connections';
import { setUser, withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { startPricedProvider } from '#server/testing/offers';
import { enqueued, queueOf } from '#server/testing/queue';
import { startRawProvider } from '#server/testing/raw-provider';
import { newSet, runOf, typed, untilRunEnds, versionOne } from '#server/testing/test-sets';
import { callIdsIn, type FakeToolRegistry, fakeToolRegistry } from '#server/testing/tool-box';

const path = '/api/admin/connections';
const models = ['gpt-4o', 'gpt-4.1'];

describe.each(engines)('work at offered connections on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  let tools: FakeToolRegistry;
  beforeAll(async () => {
    tools = fakeToolRegistry();
    app = await startApp(engine, { tools: { box: tools.box } });
    admin = await app.as('admin');
    tools.offer('pay', { approval: 'always' }, () => tools.said('Paid.'));
  });
  afterAll(() => app.stop());

  let count = 0;
  const person = () => app.as(`worker${++count}`);
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;

  /** A connection whose provider takes half a dollar for each request. */
  async function offered(more: object = { monthlyUsdPerPerson: 100, monthlyUsdTotal: 100 }) {
    const provider = await startPricedProvider(() => 0.5, models);
    onTestFinished(() => provider.close());
    const { id } = await newOffer(app, { name: `Work ${++count}`, api: 'chat', baseUrl: provider.url, ...more });
    const requests = async (): Promise<number> => (await admin.get(`${path}/${id}/spending`)).body.total.requests;
    return {
      id,
      model: `@${id}/gpt-4o`,
      other: `@${id}/gpt-4.1`,
      providerRequests: provider.asked,
      requests,
      untilRequests: (expected: number) => until(`${expected} requests`, async () => (await requests()) === expected),
      useUp: () => admin.patch(`${path}/${id}`, { monthlyUsdPerPerson: 0.01 }),
    };
  }
  const refused = { status: 409, body: { code: 'offered_budget_exceeded' } };

  test('counts titles, and asks for none when the budget is used up', async () => {
    const offer = await offered();
    const ada = await person();
    await ask(app, ada, await newThread(ada, { model: offer.model }), 'One');
    await offer.untilRequests(2);

    const last = await offered({ monthlyUsdPerPerson: 0.5 });
    const threadId = await newThread(ada, { model: last.model });
    await ask(app, ada, threadId, 'One');
    expect(await post(ada, threadId, 'Two')).toMatchObject(refused);
    await ask(app, ada, await newThread(ada, { model: offer.model }), 'Another');
    await offer.untilRequests(4);
    expect([await last.requests(), last.providerRequests.length]).toEqual([1, 1]);
  });

  test('counts summaries, and refuses them before the provider is asked', async () => {
    const offer = await offered();
    const ada = await person();
    const threadId = await newThread(ada, { model: offer.model, title: 'Named' });
    for (const text of ['One', 'Two']) await ask(app, ada, threadId, text);
    const { body } = await ada.post(`/api/threads/${threadId}/summary`, {});
    await until('The summary', async () => (await messageOf(ada, threadId, body.id)).summary?.state === 'complete');
    expect(await offer.requests()).toBe(3);
    await ask(app, ada, threadId, 'Three');
    await offer.useUp();
    expect(await ada.post(`/api/threads/${threadId}/summary`, {})).toMatchObject(refused);
    expect([await offer.requests(), offer.providerRequests.length]).toEqual([4, 4]);
  });

  test('counts comparisons and their judges, and refuses them before the provider is asked', async () => {
    const offer = await offered();
    const ada = await person();
    const sides = { candidateModel: offer.model, baselineModel: offer.other };
    const comparison = await newComparison(ada, ['One', 'Two'], sides);
    const [first, second] = comparison.items;
    await compared(app, ada, comparison.id, first?.id ?? 0);
    expect(await offer.requests()).toBe(2);
    const { body: judging } = await judge(ada, comparison.id, { model: offer.model });
    await judgedBy(ada, comparison.id, judging.id);
    const counted = await offer.requests();
    expect(counted).toBeGreaterThan(2);

    await offer.useUp();
    const before = offer.providerRequests.length;
    expect(await askPrompt(ada, comparison.id, second?.id ?? 0)).toMatchObject(refused);
    expect(await startOf(ada, comparison.id)).toMatchObject(refused);
    expect(await judge(ada, comparison.id, { model: offer.model })).toMatchObject(refused);
    expect([await offer.requests(), offer.providerRequests.length]).toEqual([counted, before]);
  });

  test('counts runs of test sets, and refuses them before the provider is asked', async () => {
    const offer = await offered();
    const ada = await person();
    const assistantId = await createAssistant(ada, { model: offer.model });
    const { id } = await newSet(ada, assistantId, typed('One', 'Two'));
    const { status, body } = await runOf(ada, id);
    expect(status).toBe(201);
    await untilRunEnds(ada, body.id);
    expect(await offer.requests()).toBe(2);
    await offer.useUp();
    expect(await runOf(ada, id, versionOne)).toMatchObject(refused);
    expect([await offer.requests(), offer.providerRequests.length]).toEqual([2, 2]);
  });

  test('leaves the answer to the assistant’s fallback when the budget is used up, and says so', async () => {
    const offer = await offered({ monthlyUsdPerPerson: 0.5 });
    const ada = await app.withKey(`fallback${++count}`);
    const assistantId = await createAssistant(ada, { model: offer.model, fallbackModel: 'gpt-4o', name: 'Careful' });
    const threadId = await newThread(ada, { assistantId, title: 'Named' });
    expect((await ask(app, ada, threadId, 'One')).answer).toMatchObject({ model: offer.model, notes: [] });
    const { answer } = await ask(app, ada, threadId, 'Two');
    expect(answer).toMatchObject({ state: 'complete', model: 'gpt-4o' });
    expect(answer.notes).toEqual([
      expect.stringMatching(/the same model at another connection, was asked\. Your budget of \$0\.50 at Work/),
    ]);
    const { token } = await newToken(ada);
    const [{ id: named }] = (
      await callApi(app, token, '/v1/assistants', { headers: { 'openai-beta': 'assistants=v2' } })
    ).body.data;
    const body = { model: named, messages: [{ role: 'user', content: 'Hello' }] };
    const called = await callApi(app, token, '/v1/chat/completions', { method: 'POST', body });
    expect([called.status, called.headers['x-roster-note']]).toEqual([200, expect.stringContaining('Your budget of')]);
    expect(offer.providerRequests.length).toBe(1);
  });

  /** A connection to the simulator, for one person. */
  async function offeredTo(visitor: HttpClient) {
    const people = [await idOf(visitor)];
    const { id, name } = await newOffer(app, { name: `Chosen ${++count}`, audience: 'chosen', people });
    return { id, name, model: `@${id}/gpt-4o`, takeBack: () => admin.patch(`${path}/${id}`, { people: [] }) };
  }

  test('finishes an answer of who is no longer chosen, and holds messages in line', async () => {
    const ada = await person();
    const { model, name, takeBack } = await offeredTo(ada);
    const threadId = await newThread(ada, { model, title: 'Named' });
    const { run } = await sendMessage(ada, threadId, 'One [[bench 60]] [[delay 20]]');
    const reader = await openEvents(app, ada, run.id);
    await reader.until(3);
    await enqueued(ada, threadId, 'Two');
    await takeBack();
    await reader.all();
    expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({ state: 'complete' });
    await until('The reason', async () => (await queueOf(ada, threadId))[0]?.held !== null);
    expect(JSON.stringify(await queueOf(ada, threadId))).toContain(`${name} is no longer offered to you`);
    expect((await messagesOf(ada, threadId)).length).toBe(2);
  });

  test('refuses an approval when a person is no longer chosen, and calls no tool', async () => {
    const ada = await person();
    const { model, name, takeBack } = await offeredTo(ada);
    const assistantId = await createAssistant(ada, { model });
    const threadId = await newThread(ada, { assistantId, title: 'Named' });
    const { run } = await sendMessage(ada, threadId, '[[call demo_pay]]');
    const reader = await openEvents(app, ada, run.id);
    const stateOf = () =>
      withDatabase(app, (db) =>
        db.selectFrom('runs').select('state').where('id', '=', run.id).executeTakeFirstOrThrow(),
      );
    await until(
      'The question',
      async () => (await stateOf()).state === 'waiting' && callIdsIn(reader.events).length > 0,
    );
    await takeBack();
    const decided = await ada.post(`/api/runs/${run.id}/approvals/${callIdsIn(reader.events)[0]}`, {
      decision: 'approve',
    });
    expect(decided.status).toBe(409);
    expect(decided.body.message).toContain(`${name} is no longer offered to you`);
    expect([(await stateOf()).state, tools.callsOf('pay')]).toEqual(['waiting', []]);
    await ada.post(`/api/runs/${run.id}/stop`);
    await reader.all();
  });

  test('sends neither key nor question where a provider redirects', async () => {
    const thief = await startPricedProvider(() => 0);
    const provider = await startRawProvider((path) => ({
      ...{ status: 307, headers: { location: `${thief.url}${path}` }, packets: [] },
    }));
    onTestFinished(async () => {
      await provider.close();
      await thief.close();
    });
    const { id, name } = await newOffer(app, { name: `Turned ${++count}`, baseUrl: provider.url });
    const ada = await person();
    const { answer } = await ask(app, ada, await newThread(ada, { model: `@${id}/gpt-4o`, title: 'Named' }), 'One');
    expect(answer).toMatchObject({ state: 'failed', text: '' });
    const { token } = await newToken(ada);
    const body = { model: `${name}/gpt-4o`, input: 'One', messages: [{ role: 'user', content: 'One' }] };
    for (const call of ['chat/completions', 'responses', 'embeddings'])
      expect((await callApi(app, token, `/v1/${call}`, { method: 'POST', body })).status).toBeGreaterThanOrEqual(400);
    expect(provider.asked.length).toBeGreaterThan(0);
    expect(thief.asked).toEqual([]);
  });

  test('is refused to who was an administrator for a while and is not chosen', async () => {
    const [ada, bob] = [await person(), await person()];
    const { id, model } = await offeredTo(bob);
    const email = (await ada.get('/api/user')).body.email;
    const statuses = async () => [
      (await ada.get(`${path}/${id}/spending`)).status,
      (await ada.get('/api/connections')).body.offered.some((one: { id: number }) => one.id === id),
      (await ada.post('/api/threads', { model })).status,
    ];
    const before = await statuses();
    await setUser(app, email, { role: 'Admin' });
    expect(await statuses()).toEqual([200, false, 400]);
    await setUser(app, email, { role: 'Editor' });
    expect([before, await statuses()]).toEqual([
      [403, false, 400],
      [403, false, 400],
    ]);
  });

  test('shows administrators what was refused lately, and tries it again', async () => {
    const { id } = await offered();
    const at = '2026-11-28T00:00:00.000Z';
    await withDatabase(app, (db) =>
      db
        .insertInto('provider_traits')
        .values({
          ...{ base_url: `connection:${id}`, model: 'gpt-4o', trait: 'refuses temperature', value: '1' },
          ...{ learned_at: at, askers: 1, ask_at: '2999-01-01T00:00:00.000Z', step: 1 },
        })
        .execute(),
    );
    const refusals = async () => (await admin.get(`${path}/${id}/refusals`)).body.refusals;
    expect(await refusals()).toMatchObject([{ model: 'gpt-4o', what: 'temperature' }]);
    const ada = await person();
    expect((await ada.get(`${path}/${id}/refusals`)).status).toBe(403);
    expect((await ada.get(`/api/connections/${id}/refusals`)).status).toBe(404);
    expect((await ada.post(`/api/connections/${id}/ask-again`)).status).toBe(404);
    expect((await admin.post(`${path}/${id}/ask-again`)).status).toBe(204);
    expect(await refusals()).toEqual([]);
    expect((await admin.patch(`${path}/${id}`, { key: null })).body).toMatchObject({ hasKey: false, keyLast4: null });
  });
});
