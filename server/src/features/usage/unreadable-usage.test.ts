import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread, post } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import { chunk, completed, delta, event, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';

const json = { 'content-type': 'application/json' };
const done = 'data: [DONE]\n\n';
const text = 'Some words that are sixty characters long, as an answer may be. '.repeat(10);
const notServed: RawAnswer = { status: 404, headers: json, packets: ['{}'] };
const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
const messages = [{ role: 'user', content: 'Hello there' }];

const usages: [string, unknown][] = [
  ['of zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, input_tokens: 0, output_tokens: 0 }],
  ['that is empty', {}],
  ['in texts', { prompt_tokens: '12', completion_tokens: '5', input_tokens: '12', output_tokens: '5' }],
  ['in fractions', { prompt_tokens: 1.5, completion_tokens: 0.5, input_tokens: 1.5, output_tokens: 0.5 }],
  ['without output', { prompt_tokens: 12, completion_tokens: 0, input_tokens: 12, output_tokens: 0 }],
];

describe.each(engines)('unreadable usage on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let app: TestApp;
  /** Its provider serves no Responses API. */
  let byChat: TestApp;
  let script: (path: string) => RawAnswer;
  beforeAll(async () => {
    provider = await startRawProvider((path) => script(path));
    const env = { PROVIDER_BASE_URL: provider.url };
    [app, byChat] = await Promise.all([startApp(engine, { env }), startApp(engine, { env })]);
  });
  afterAll(async () => {
    await Promise.all([app.stop(), byChat.stop()]);
    await provider.close();
  });

  const records = (of = app) =>
    withDatabase(of, (db) =>
      db.selectFrom('usage_records').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst(),
    );

  const responsesStream = (usage: unknown): RawAnswer => ({ packets: [delta(text), completed(usage)] });
  const chatStream = (usage: unknown): RawAnswer => ({
    packets: [words(text, 'stop'), chunk({ choices: [], usage }), done],
  });

  /** Requests an answer that ends with this usage in every possible way. */
  async function waysOf(of: TestApp, name: string) {
    const visitor = await of.withKey(name.replaceAll(' ', '-'));
    const { token } = await newToken(visitor);
    const call = (path: string, body: object) =>
      callApi(of, token, path, { method: 'POST', body: { model: 'gpt-4o', ...body } });
    return {
      visitor,
      page: async () => ask(of, visitor, await newThread(visitor, { title: 'Named' }), 'Hello there'),
      completions: (stream: boolean) => call('/v1/chat/completions', { messages, stream }),
      responses: (stream: boolean) => call('/v1/responses', { input: 'Hello there', stream }),
    };
  }

  async function expectEstimate(of: TestApp, way: string) {
    const { estimated, input_tokens: input = 0, output_tokens: output = 0, cost_usd } = (await records(of)) ?? {};
    const whole = text.length / 4;
    const isNear = input >= 3 && input <= 4 && output > whole / 2 && output < whole * 2;
    expect([way, estimated, isNear || [input, output], Number(cost_usd) > 0]).toEqual([way, 1, true, true]);
  }

  test.each(usages)('estimates usage %s wherever it is reported', async (title, usage) => {
    const { visitor, page, completions, responses } = await waysOf(app, `ada ${title}`);
    const whole = { choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }], usage };
    const ways: [string, RawAnswer, () => Promise<unknown>][] = [
      ['a page', responsesStream(usage), page],
      ['responses at once', { headers: json, packets: [wholeResponse(usage)] }, () => responses(false)],
      ['responses as events', responsesStream(usage), () => responses(true)],
      ['chat completions at once', { headers: json, packets: [JSON.stringify(whole)] }, () => completions(false)],
      ['chat completions as events', chatStream(usage), () => completions(true)],
    ];
    for (const [way, answer, call] of ways) {
      script = () => answer;
      await call();
      await expectEstimate(app, way);
    }
    const { body } = await visitor.get(`/api/analytics?${aroundToday()}`);
    expect(body.totals).toMatchObject({ requests: ways.length, estimatedRequests: ways.length });
  });

  test.each(usages)('estimates usage %s from a provider with Chat Completions only', async (title, usage) => {
    const { page, responses } = await waysOf(byChat, `grace ${title}`);
    script = (path) => (path === '/responses' ? notServed : chatStream(usage));
    await responses(true);
    await expectEstimate(byChat, 'responses by chat');
    await page();
    await expectEstimate(byChat, 'a page by chat');
  });

  test('counts against a hard stop, even for an answer that broke off', async () => {
    const ada = await app.withKey('ada');
    await ada.post('/api/analytics/budgets', { assistantId: null, amountUsd: 0.01, hardStop: true });
    const threadId = await newThread(ada, { title: 'Named' });
    script = () => ({ packets: [delta(text.repeat(10)), event('ping')], after: 'cut' });
    expect((await ask(app, ada, threadId, 'Hello')).answer).toMatchObject({ state: 'failed' });
    expect((await post(ada, threadId, 'Hello again')).body.code).toBe('budget_exceeded');
  });

  test('limits cached tokens to the input', async () => {
    const ada = await app.withKey('grace');
    const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 1_000 }, output_tokens: 3 };
    script = () => responsesStream(usage);
    await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Hello');
    expect(await records()).toMatchObject({ input_tokens: 10, cached_tokens: 0, output_tokens: 3, estimated: 0 });
  });
});

const wholeResponse = (usage: unknown) =>
  JSON.stringify({ id: 'resp_1', object: 'response', status: 'completed', output: [message], usage });
