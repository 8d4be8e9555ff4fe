import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { untilIndexed } from '#server/testing/knowledge';
import { fakeToolRegistry } from '#server/testing/tool-box';

const perSearch = 2.5 / 1_000;

describe.each(engines)('the cost of built-in tools on %s', (engine) => {
  let app: TestApp;
  const tools = fakeToolRegistry();
  beforeAll(async () => {
    app = await startApp(engine, { tools: { box: tools.box, callMs: 2_000 } });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const today = () => new Date().toISOString().slice(0, 10);
  const overview = async (visitor: HttpClient) =>
    (await visitor.get(`/api/analytics?from=${today()}&to=${today()}`)).body;
  const toolRecords = (threadId: number) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('usage_records')
        .select(['model', 'cost_usd', 'price_as_of', 'step_of', 'run_id'])
        .where('thread_id', '=', threadId)
        .where('purpose', '=', 'tool')
        .orderBy('id')
        .execute(),
    );

  test('adds file searches to all sums and budgets, and counts tools without a price', async () => {
    const { visitor } = await app.someone('searcher');
    const assistantId = await createAssistant(visitor, { tools: { webSearch: {}, imageGeneration: {} } });
    const { id } = await uploaded(app, visitor, { filename: 'tides.md', content: 'Tides' });
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [id] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    const before = await overview(visitor);
    expect([before.byTool, before.storage?.usdPerGigabyteDay]).toEqual([[], 0.1]);
    const { run, answer } = await ask(app, visitor, threadId, '[[web]] [[picture]] Tides');
    expect(await toolRecords(threadId)).toEqual([
      { model: 'file_search', cost_usd: perSearch, price_as_of: '2026-06-26', step_of: run.id, run_id: null },
      { model: 'web_search', cost_usd: null, price_as_of: null, step_of: run.id, run_id: null },
      { model: 'image_generation', cost_usd: null, price_as_of: null, step_of: run.id, run_id: null },
    ]);
    const shown = await overview(visitor);
    const price = { usdPerThousandCalls: 2.5, asOf: '2026-06-26', source: expect.any(String) };
    expect(shown.byTool).toEqual([
      { tool: 'file_search', calls: 1, costUsd: perSearch, unpricedCalls: 0, price },
      { tool: 'web_search', calls: 1, costUsd: null, unpricedCalls: 1, price: null },
      { tool: 'image_generation', calls: 1, costUsd: null, unpricedCalls: 1, price: null },
    ]);
    // A tool call is no request and belongs to no model.
    expect(shown.totals).toMatchObject({ requests: 1, unpricedRequests: 0 });
    expect(shown.totals.costUsd).toBeCloseTo((answer.usage?.costUsd ?? 0) + perSearch, 12);
    expect(shown.byModel).toMatchObject([{ model: 'gpt-4o', requests: 1, costUsd: answer.usage?.costUsd }]);
    expect(shown.byAssistant[0]).toMatchObject({ requests: 1, unpricedRequests: 0 });
    expect(shown.byAssistant[0].costUsd).toBeCloseTo(shown.totals.costUsd, 12);
    expect(shown.recent).toHaveLength(1);

    const budget = { assistantId, amountUsd: 5, tz: 'UTC' };
    const { body } = await visitor.post('/api/analytics/budgets', budget);
    expect(body.spentUsd).toBeCloseTo(shown.totals.costUsd, 12);
  });

  test('counts each call once, with its step, even if the answer is stopped', async () => {
    const { visitor } = await app.someone('stepper');
    tools.offer('weather', {}, () => tools.said('It rains.'));
    const assistantId = await createAssistant(visitor, { tools: { webSearch: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    await ask(app, visitor, threadId, '[[web]] [[call demo_weather]] Rain');
    expect((await toolRecords(threadId)).map(({ model }) => model)).toEqual(['web_search', 'web_search']);
    tools.withdraw('weather');

    const other = await newThread(visitor, { assistantId, title: 'Named' });
    const { run } = await sendMessage(visitor, other, '[[web]] [[tokens 40]] [[hang 5]] Rain');
    await until('The search', async () => {
      const { body } = await visitor.get(`/api/threads/${other}/messages`);
      return body.items.at(-1).text !== '';
    });
    await visitor.post(`/api/runs/${run.id}/stop`);
    await readEvents(app, visitor, run.id);
    expect((await toolRecords(other)).map(({ model }) => model)).toEqual(['web_search']);
  });
});
