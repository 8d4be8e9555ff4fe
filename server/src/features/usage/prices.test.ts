import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';
import { nextDay } from './zone-days.ts';

const price = { model: 'chat-latest', input: 1_000, cachedInput: null, output: 2_000 };

describe.each(engines)('custom prices on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  async function someone() {
    const visitor = await app.withKey(`person${++people}`);
    const assistantId = await createAssistant(visitor, { model: 'chat-latest' });
    const threadId = await newThread(visitor, { title: 'Unpriced', assistantId });
    return { visitor, askFor: (tokens: number) => ask(app, visitor, threadId, `[[tokens ${tokens}]]`) };
  }
  const totals = async (visitor: HttpClient) => {
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await visitor.get(`/api/analytics?from=${nextDay(today, -1)}&to=${nextDay(today)}`);
    return body;
  };

  test('applies to earlier calls in every sum, and to later ones', async () => {
    const { visitor, askFor } = await someone();
    const first = await askFor(10);
    await askFor(20);
    expect((await totals(visitor)).totals).toMatchObject({ requests: 2, costUsd: null, unpricedRequests: 2 });

    const { status, body } = await visitor.post('/api/analytics/prices', price);
    expect([status, body.pricedRequests, body.model]).toEqual([200, 2, 'chat-latest']);
    const costOf = (tokens: { inputTokens: number; outputTokens: number } | null) =>
      ((tokens?.inputTokens ?? 0) * 1_000 + (tokens?.outputTokens ?? 0) * 2_000) / 1_000_000;
    const priced = await totals(visitor);
    for (const figures of [priced.totals, priced.byModel[0], priced.byAssistant[0]]) {
      expect(figures).toMatchObject({ requests: 2, unpricedRequests: 0, outputTokens: 30 });
      expect(figures.costUsd).toBeCloseTo(costOf(priced.totals), 10);
    }
    const firstCall = priced.recent.at(-1);
    expect(firstCall.costUsd).toBeCloseTo(costOf(first.answer.usage), 10);

    const third = await askFor(30);
    expect(third.answer.usage?.costUsd).toBeCloseTo(costOf(third.answer.usage), 10);
    expect((await totals(visitor)).totals).toMatchObject({ requests: 3, unpricedRequests: 0 });
  });

  test('can be changed and removed without repricing', async () => {
    const { visitor, askFor } = await someone();
    await visitor.post('/api/analytics/prices', price);
    await askFor(10);
    const before = (await totals(visitor)).totals.costUsd;
    const { body } = await visitor.post('/api/analytics/prices', { ...price, output: 1, cachedInput: 5 });
    expect(body).toMatchObject({ output: 1, cachedInput: 5, pricedRequests: 0 });
    expect((await visitor.get('/api/analytics/prices')).body).toMatchObject([{ model: 'chat-latest', output: 1 }]);
    expect((await visitor.delete('/api/analytics/prices', { model: 'chat-latest' })).status).toBe(204);
    expect((await visitor.delete('/api/analytics/prices', { model: 'chat-latest' })).status).toBe(404);
    expect((await totals(visitor)).totals.costUsd).toBe(before);
    const { answer } = await askFor(10);
    expect(answer.usage?.costUsd).toBeNull();
  });

  test('hides prices of other users', async () => {
    const { visitor } = await someone();
    await visitor.post('/api/analytics/prices', price);
    const other = await someone();
    expect((await other.visitor.get('/api/analytics/prices')).body).toEqual([]);
    expect((await other.visitor.delete('/api/analytics/prices', { model: 'chat-latest' })).status).toBe(404);
    const { answer } = await other.askFor(5);
    expect(answer.usage?.costUsd).toBeNull();
  });

  test('rejects models that the catalogue prices, and invalid prices', async () => {
    const { visitor } = await someone();
    const refused = async (input: object) =>
      (await visitor.post('/api/analytics/prices', { ...price, ...input })).status;
    expect(await refused({ model: 'gpt-4o' })).toBe(409);
    expect(await refused({ input: -1 })).toBe(400);
    expect(await refused({ output: 'free' })).toBe(400);
    expect(await refused({ model: '' })).toBe(400);
  });
});
