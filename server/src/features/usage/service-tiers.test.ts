import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import type { HttpClient } from '#server/testing/http-client';
import { chunk, delta, event, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';

const json = { 'content-type': 'application/json' };
const models = ['gpt-4o', 'gpt-5.4', 'some-model', 'gpt-4o-2031-05-13', 'gpt-4o-2024-05-13'];
const million = 1_000_000;
const usage = { prompt_tokens: million, completion_tokens: million, input_tokens: million, output_tokens: million };
const messages = [{ role: 'user', content: 'Hello' }];
const notServed: RawAnswer = { status: 404, headers: json, packets: ['{}'] };

const responses = (tier?: unknown): RawAnswer => ({
  packets: [
    event('response.created', { response: { service_tier: 'auto' } }),
    delta('Hi'),
    event('response.completed', { response: { usage, service_tier: tier } }),
  ],
});
const chat = (tier?: unknown): RawAnswer => ({
  packets: [
    chunk({ service_tier: tier, choices: [{ index: 0, delta: { content: 'A "service_tier":"batch" is named' } }] }),
    words('!', 'stop'),
    chunk({ choices: [], usage, service_tier: tier }),
    'data: [DONE]\n\n',
  ],
});
const message = { role: 'assistant', content: 'Hi' };
const wholeChat = (tier?: unknown): RawAnswer => ({
  headers: json,
  packets: [JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage, service_tier: tier })],
});
const wholeResponse = (tier?: unknown): RawAnswer => ({
  headers: json,
  packets: [JSON.stringify({ status: 'completed', output: [], usage, service_tier: tier })],
});

/**
 * Costs of gpt-5.4 for a million tokens each way: 2.50 and 15 on the standard tier. The request is priced as long
 * context, for which all tiers but priority have a price.
 */
const ofLong: [unknown, number | null, string | null][] = [
  [undefined, 5 + 22.5, null],
  ['default', 5 + 22.5, null],
  ['flex', 2.5 + 11.25, 'flex'],
  ['priority', null, 'priority'],
];
/** Costs of gpt-4o: 2.50 and 10. It has no flex tier. */
const ofShort: [unknown, number | null, string | null][] = [
  [null, 12.5, null],
  ['on_demand', 12.5, null],
  ['priority', 4.25 + 17, 'priority'],
  ['fast', 4.25 + 17, 'priority'],
  ['batch', 1.25 + 5, 'batch'],
  ['flex', null, 'flex'],
  ['scale', null, 'scale'],
  ['ultrafast', null, 'ultrafast'],
];

describe.each(engines)('the price of the service tier that answered, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let app: TestApp;
  /** Its provider serves Chat Completions only. */
  let byChat: TestApp;
  let script: (path: string) => RawAnswer;
  beforeAll(async () => {
    provider = await startRawProvider((path) => script(path), models);
    const env = { PROVIDER_BASE_URL: provider.url };
    [app, byChat] = await Promise.all([startApp(engine, { env }), startApp(engine, { env })]);
  });
  afterAll(async () => {
    await Promise.all([app.stop(), byChat.stop()]);
    await provider.close();
  });

  const lastOf = (of: TestApp) =>
    withDatabase(of, (db) =>
      db.selectFrom('usage_records').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst(),
    );

  async function waysOf(of: TestApp, model: string) {
    const visitor = await of.withKey(`someone-${model}`.replaceAll('.', '-'));
    const { token } = await newToken(visitor);
    const threadId = await newThread(visitor, {
      title: 'Named',
      assistantId: await createAssistant(visitor, { model }),
    });
    const call = (path: string, body: object) => callApi(of, token, path, { method: 'POST', body: { model, ...body } });
    return {
      visitor,
      page: () => ask(of, visitor, threadId, 'Hello'),
      completions: (stream: boolean) => call('/v1/chat/completions', { messages, stream }),
      responses: (stream: boolean) => call('/v1/responses', { input: 'Hello', stream }),
    };
  }

  test.each([
    ['gpt-5.4', ofLong],
    ['gpt-4o', ofShort],
  ] as const)('is the tier’s, or unknown if there is none: %s', async (model, tiers) => {
    const { visitor, page, completions, responses: respond } = await waysOf(app, model);
    const chatOnly = await waysOf(byChat, model);
    for (const [tier, costUsd, serviceTier] of tiers) {
      const ways: [TestApp, (path: string) => RawAnswer, () => Promise<unknown>][] = [
        [app, () => responses(tier), page],
        [app, () => responses(tier), () => respond(true)],
        [app, () => wholeResponse(tier), () => respond(false)],
        [app, () => chat(tier), () => completions(true)],
        [app, () => wholeChat(tier), () => completions(false)],
        [byChat, (path) => (path === '/responses' ? notServed : chat(tier)), chatOnly.page],
        [byChat, (path) => (path === '/responses' ? notServed : chat(tier)), () => chatOnly.responses(true)],
      ];
      for (const [at, [of, answers, call]] of ways.entries()) {
        script = answers;
        await call();
        const record = await lastOf(of);
        expect([tier, at, record?.service_tier, record?.cost_usd]).toEqual([
          tier,
          at,
          serviceTier,
          costUsd === null ? null : expect.closeTo(costUsd, 6),
        ]);
      }
    }
    const { body } = await visitor.get(`/api/analytics/requests?${aroundToday()}`);
    expect(body.items[0]).toMatchObject({ serviceTier: tiers.at(-1)?.[2] });
  });

  const priceOf = (visitor: HttpClient, model: string) =>
    visitor.post('/api/analytics/prices', { model, input: 1, cachedInput: null, output: 1 });

  test('ignores a custom price, which is for the standard tier', async () => {
    const model = 'some-model';
    const { visitor, page } = await waysOf(app, model);
    script = () => responses('flex');
    await page();
    expect((await priceOf(visitor, model)).body.pricedRequests).toBe(0);
    await page();
    expect(await lastOf(app)).toMatchObject({ cost_usd: null, service_tier: 'flex' });
    script = () => responses('default');
    await page();
    expect(await lastOf(app)).toMatchObject({ cost_usd: 2 });
  });

  test('uses the family’s price for an unlisted snapshot until the user sets one', async () => {
    const model = 'gpt-4o-2031-05-13';
    const { visitor, page } = await waysOf(app, model);
    script = () => responses();
    await page();
    expect(await lastOf(app)).toMatchObject({ cost_usd: 12.5 });
    const shown = async () => (await visitor.get(`/api/analytics?${aroundToday()}`)).body.byModel;
    expect(await shown()).toMatchObject([{ model, family: 'gpt-4o', costUsd: 12.5 }]);
    expect(await priceOf(visitor, model)).toMatchObject({ status: 200, body: { pricedRequests: 0 } });
    expect(await shown()).toMatchObject([{ model, family: null, costUsd: 12.5 }]);
    await page();
    expect(await lastOf(app)).toMatchObject({ cost_usd: 2 });
    expect((await priceOf(visitor, 'gpt-4o-2024-08-06')).status).toBe(409);
    const old = await waysOf(app, 'gpt-4o-2024-05-13');
    await old.page();
    expect(await lastOf(app)).toMatchObject({ cost_usd: 20 });
  });
});
