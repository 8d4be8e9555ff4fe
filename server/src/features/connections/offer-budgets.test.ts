import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread, post } from '#server/testing/chat';
import { newOffer } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { startPricedProvider } from '#server/testing/offers';

const path = '/api/admin/connections';
const month = () => new Date().toISOString().slice(0, 7);

describe.each(engines)('budgets of offered connections on %s', (engine) => {
  let app: TestApp;
  let admin: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.as('admin');
  });
  afterAll(() => app.stop());

  let offers = 0;
  let people = 0;
  const person = () => app.as(`person${++people}`);
  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;

  /** A provider that states what a call costs. */
  async function offered(cost: () => unknown, more: object = {}, models?: Parameters<typeof startPricedProvider>[1]) {
    const provider = await startPricedProvider(cost, models);
    onTestFinished(() => provider.close());
    const name = `Team ${++offers}`;
    const offer = await newOffer(app, { name, api: 'chat', baseUrl: provider.url, ...more });
    return { ...offer, providerRequests: provider.asked };
  }
  const threadOn = (visitor: HttpClient, id: number, model = 'gpt-4o') =>
    newThread(visitor, { model: `@${id}/${model}`, title: 'Named' });
  const sumOf = async (id: number) => (await admin.get(`${path}/${id}/spending`)).body;

  test('stop a person exactly at the limit, before the provider is asked, and nobody else', async () => {
    const { id, name, providerRequests: requests } = await offered(() => 0.5, { monthlyUsdPerPerson: 1 });
    const [ada, bob] = [await person(), await person()];
    const threadId = await threadOn(ada, id);
    await ask(app, ada, threadId, 'One');
    await ask(app, ada, threadId, 'Two');
    const before = requests.length;
    const refused = await post(ada, threadId, 'Three');
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      'offered_budget_exceeded',
      expect.stringContaining(`Your budget of $1.00 at ${name}`),
    ]);
    // Nobody can go over it on purpose.
    expect((await post(ada, threadId, 'Three', { overBudget: true })).body.code).toBe('offered_budget_exceeded');
    const { token } = await newToken(ada);
    const model = `${name}/gpt-4o`;
    for (const [path, body] of [
      ['chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] }],
      ['responses', { model, input: 'Hello' }],
      ['embeddings', { model, input: 'Hello' }],
      ['images/generations', { model, prompt: 'Hello' }],
      ['audio/speech', { model, input: 'Hello', voice: 'v' }],
    ] as const) {
      const response = await callApi(app, token, `/v1/${path}`, { method: 'POST', body });
      expect([path, response.status, response.body.error.code]).toEqual([path, 429, 'insufficient_quota']);
    }
    expect(requests.length).toBe(before);
    expect((await ada.get('/api/connections')).body.offered).toContainEqual(
      expect.objectContaining({ id, monthlyUsd: 1, spentUsd: 1, isUsedUp: true }),
    );
    // The list of models is no spending.
    expect((await ada.get('/api/models')).body.connections).toContainEqual(
      expect.objectContaining({ id, notice: null }),
    );
    expect((await ask(app, bob, await threadOn(bob, id), 'One')).answer.state).toBe('complete');

    await admin.patch(`${path}/${id}`, { monthlyUsdPerPerson: 1.01 });
    expect((await ask(app, ada, threadId, 'Three')).answer.state).toBe('complete');
  });

  test('stop exactly at the limit, though the sum of the costs is a binary fraction below it', async () => {
    const { id } = await offered(() => 0.1, { monthlyUsdPerPerson: 0.8 });
    const ada = await person();
    const threadId = await threadOn(ada, id);
    for (let count = 0; count < 8; count++) await ask(app, ada, threadId, 'One');
    expect((await post(ada, threadId, 'Two')).body.code).toBe('offered_budget_exceeded');
    const offer = expect.objectContaining({ id, spentUsd: 0.8, isUsedUp: true });
    expect((await ada.get('/api/connections')).body.offered).toContainEqual(offer);
    expect((await sumOf(id)).total).toMatchObject({ costUsd: 0.8 });
  });

  test('stop everybody at the shared limit, without saying what others spent', async () => {
    const { id } = await offered(() => 0.6, { monthlyUsdTotal: 1 });
    const [ada, bob] = [await person(), await person()];
    await ask(app, ada, await threadOn(ada, id), 'One');
    await ask(app, bob, await threadOn(bob, id), 'One');
    const { body } = await post(ada, await threadOn(ada, id), 'Two');
    expect(body).toMatchObject({
      code: 'offered_budget_exceeded',
      message: expect.stringContaining('The shared budget'),
    });
    expect(JSON.stringify(body)).not.toContain('1.2');
    expect((await ada.get('/api/connections')).body.offered).toContainEqual(
      expect.objectContaining({ id, monthlyUsd: null, spentUsd: 0.6, isUsedUp: true }),
    );
  });

  test('start again in the next month', async () => {
    const { id } = await offered(() => 1, { monthlyUsdPerPerson: 1 });
    const ada = await person();
    const threadId = await threadOn(ada, id);
    await ask(app, ada, threadId, 'One');
    expect((await post(ada, threadId, 'Two')).status).toBe(409);
    await withDatabase(app, (db) =>
      db.updateTable('connection_spend').set({ month: '2026-01' }).where('connection_id', '=', id).execute(),
    );
    expect((await ask(app, ada, threadId, 'Two')).answer.state).toBe('complete');
  });

  test('refuse models without a price, and count those that only the provider’s list prices', async () => {
    const models = [{ id: 'priced', pricing: { prompt: '0.01', completion: '0.02' } }, { id: 'unpriced' }];
    const { id } = await offered(() => undefined, { monthlyUsdPerPerson: 1 }, models);
    const ada = await person();
    const refused = await post(ada, await threadOn(ada, id, 'unpriced'), 'One');
    expect(refused.body).toMatchObject({
      code: 'offered_budget_exceeded',
      message: expect.stringContaining('No price is known for unpriced'),
    });
    const { answer } = await ask(app, ada, await threadOn(ada, id, 'priced'), 'One');
    expect(answer.usage).toMatchObject({ costUsd: expect.closeTo(0.2) });
    expect((await sumOf(id)).total).toMatchObject({ requests: 1, unpricedRequests: 0, costUsd: expect.closeTo(0.2) });
    // On another server too, which has not read the list.
    const other = engine === 'postgres' ? await app.secondProcess() : app;
    const { token } = await newToken(ada);
    const call = await callApi(other, token, '/v1/chat/completions', {
      method: 'POST',
      body: { model: `@${id}/priced`, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(call.status).toBe(200);
    expect((await sumOf(id)).total).toMatchObject({ requests: 2, unpricedRequests: 0, costUsd: expect.closeTo(0.4) });
    await admin.patch(`${path}/${id}`, { monthlyUsdPerPerson: null });
    expect((await ask(app, ada, await threadOn(ada, id, 'unpriced'), 'One')).answer.state).toBe('complete');
    expect((await sumOf(id)).total).toMatchObject({ requests: 3, unpricedRequests: 1 });
  });

  test.each<[string, object]>([
    ['null', { prompt: null, completion: null }],
    ['empty', { prompt: '', completion: ' ' }],
    ['a truth value', { prompt: false, completion: false }],
    ['a list', { prompt: [], completion: [] }],
    ['beyond any price', { prompt: '1e305', completion: '1e305' }],
    ['missing one side', { prompt: '0.01' }],
  ])('refuse models whose listed price is %s', async (_name, pricing) => {
    const { id } = await offered(() => undefined, { monthlyUsdPerPerson: 1 }, [{ id: 'odd', pricing }]);
    const ada = await person();
    const refused = await post(ada, await threadOn(ada, id, 'odd'), 'One');
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('No price is known for odd')]);
  });

  test('refuse service tiers whose price is not known, before the provider is asked', async () => {
    const models = ['gpt-4o', { id: 'priced', pricing: { prompt: '0.01', completion: '0.02' } }];
    const { id, name, providerRequests: requests } = await offered(() => undefined, { monthlyUsdPerPerson: 1 }, models);
    const { token } = await newToken(await person());
    const statusOf = async (path: string, model: string, tier: string) => {
      const text = { prompt: 'Hello', input: 'Hello', messages: [{ role: 'user', content: 'Hello' }] };
      const body = { ...text, model: `${name}/${model}`, service_tier: tier };
      return callApi(app, token, `/v1/${path}`, { method: 'POST', body });
    };
    for (const path of ['chat/completions', 'responses', 'completions']) {
      const refused = await statusOf(path, 'priced', 'priority');
      expect([path, refused.status, refused.body.error]).toEqual([
        ...[path, 429],
        expect.objectContaining({ message: expect.stringContaining('at the service tier ‘priority’') }),
      ]);
    }
    expect(requests).toEqual([]);
    for (const tier of ['auto', 'default']) expect((await statusOf('completions', 'priced', tier)).status).toBe(200);
    expect((await statusOf('chat/completions', 'gpt-4o', 'priority')).status).toBe(200);
    expect((await statusOf('chat/completions', 'gpt-4o', 'flex')).status).toBe(429);
    await admin.patch(`${path}/${id}`, { monthlyUsdPerPerson: null });
    expect((await statusOf('chat/completions', 'priced', 'priority')).status).toBe(200);
  });

  test('cannot be lowered by a price of one’s own', async () => {
    const { id } = await offered(() => undefined);
    const ada = await person();
    const price = { model: `@${id}/dear`, input: 0, output: 0 };
    expect((await ada.post('/api/analytics/prices', price)).body).toMatchObject({ code: 'conflict' });
    await withDatabase(app, async (db) =>
      db
        .insertInto('own_prices')
        .values({
          user_id: await idOf(ada),
          model: price.model,
          input: 0,
          cached_input: null,
          output: 0,
          set_at: '2026-11-01',
        })
        .execute(),
    );
    await admin.patch(`${path}/${id}`, { monthlyUsdPerPerson: 1 });
    expect((await post(ada, await threadOn(ada, id, 'dear'), 'One')).body.code).toBe('offered_budget_exceeded');
  });

  test.each([
    ['negative', -5],
    ['not a number', 'NaN'],
    ['infinite', 'Infinity'],
    ['huge', 1e12],
  ])('are not moved by a cost that is %s: the price counts', async (_title, cost) => {
    const { id } = await offered(() => cost, { monthlyUsdPerPerson: 1 });
    const ada = await person();
    await ask(app, ada, await threadOn(ada, id), 'One');
    const { total } = await sumOf(id);
    expect(total.requests).toBe(1);
    expect(total.costUsd).toBeGreaterThan(0);
    expect(total.costUsd).toBeLessThan(0.01);
  });

  test('show sums by person and model, of closed accounts too, and no contents', async () => {
    const { id } = await offered(() => 0.25, {}, ['gpt-4o', 'gpt-4.1']);
    const [ada, bob] = [await person(), await person()];
    await ask(app, ada, await threadOn(ada, id), 'A secret question');
    await ask(app, ada, await threadOn(ada, id, 'gpt-4.1'), 'A secret question');
    await ask(app, bob, await threadOn(bob, id), 'A secret question');
    await bob.delete('/api/user', { password });
    const sum = (requests: number) => ({ requests, unpricedRequests: 0, costUsd: requests * 0.25 });
    const sums = await sumOf(id);
    expect(sums).toEqual({
      month: month(),
      total: sum(3),
      people: [
        { person: { id: await idOf(ada), name: null, email: expect.stringContaining('person') }, ...sum(2) },
        { person: null, ...sum(1) },
      ],
      models: [
        { model: 'gpt-4o', ...sum(2) },
        { model: 'gpt-4.1', ...sum(1) },
      ],
    });
    expect(JSON.stringify(sums)).not.toMatch(/secret|Named/);
    expect((await admin.get(`${path}/${id}/spending?month=2026-01`)).body).toMatchObject({ total: sum(0), people: [] });
    expect((await admin.get(path)).body.offers).toContainEqual(expect.objectContaining({ id, spentUsd: 0.75 }));
  });

  test('count parallel calls, and refuse the next', async () => {
    const { id, name } = await offered(() => 0.4, { monthlyUsdPerPerson: 1 });
    const { token } = await newToken(await person());
    const call = () =>
      callApi(app, token, '/v1/chat/completions', {
        method: 'POST',
        body: { model: `${name}/gpt-4o`, messages: [{ role: 'user', content: 'Hello' }] },
      });
    const calls = await Promise.all(Array.from({ length: 6 }, call));
    const answered = calls.filter(({ status }) => status === 200).length;
    expect(answered).toBeGreaterThanOrEqual(3);
    expect((await call()).status).toBe(429);
    expect((await sumOf(id)).total).toMatchObject({ requests: answered, costUsd: expect.closeTo(answered * 0.4) });
  });
});
