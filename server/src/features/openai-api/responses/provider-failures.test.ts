import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { called } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { created } from '#server/testing/assistants';
import { event, forever, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';
import { eventsIn, responsesPath as path, program, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>\n';
const mebibyte = 1024 * 1024;
/** Long enough for what comes at all, on a machine with other work too. */
const times = { beginsMs: 700, silentMs: 700, wholeMs: 700, answerMs: 2_500, backgroundMs: 2_500 };
const refusal = { message: 'Overloaded', type: 'server_error', code: 'server_error', param: null };
const own = (value: object): RawAnswer => ({ headers: json, packets: [JSON.stringify(value)] });
const usage = { input_tokens: 9_007_199_254_740_991, output_tokens: 200_000_000 };

type Case = [what: string, answer: () => RawAnswer, status: number, code: string];

const [timeout, brokeOff, trouble] = ['provider_timeout', 'provider_broke_off', 'provider_unavailable'];
const bodies: Case[] = [
  ['never answers', () => ({ packets: [], isSilent: true }), 504, timeout],
  ['cuts the connection', () => ({ packets: [], after: 'cut' }), 502, brokeOff],
  ['answers with a page', () => ({ headers: html, packets: [page] }), 502, brokeOff],
  ['answers with nothing', () => ({ headers: json, packets: [] }), 502, brokeOff],
  ['answers with half an answer', () => ({ headers: json, packets: ['{"output":[{"ty'] }), 502, brokeOff],
  ['answers with what is no answer', () => own({}), 502, brokeOff],
  ['answers with a list', () => own([]), 502, brokeOff],
  ['says with status 200 that it failed', () => own({ error: refusal }), 502, trouble],
  ['falls silent in the middle', () => ({ headers: json, packets: ['{"output":'], after: 'silence' }), 504, timeout],
  ['breaks off in the middle', () => ({ headers: json, packets: ['{"output":'], after: 'cut' }), 502, brokeOff],
  ['answers without end', () => ({ headers: json, packets: forever('x'.repeat(65_536)), everyMs: 0 }), 502, trouble],
  ['answers slowly and without end', () => ({ headers: json, packets: forever(' '), everyMs: 50 }), 504, timeout],
  [
    'fails with a page without end',
    () => ({ status: 503, headers: html, packets: forever(page), everyMs: 0 }),
    502,
    trouble,
  ],
  ['sends a page as events', () => ({ packets: [page] }), 502, brokeOff],
  ['sends garbage as events', () => ({ packets: [Buffer.from([0xff, 0, 0xc3, 0x28, 0xf0])] }), 502, brokeOff],
  ['sends events that cannot be read', () => ({ packets: ['data: {"type":\n\n'] }), 502, brokeOff],
];

const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const begin =
  event('response.created', { sequence_number: 0, response: {} }) +
  event('response.output_text.delta', { ...place, sequence_number: 1, delta: 'Hi', logprobs: [] });
function* deltas() {
  const delta = 'x'.repeat(1_000_000);
  for (let sequence_number = 0; ; sequence_number++)
    yield event('response.output_text.delta', { ...place, sequence_number, delta, logprobs: [] });
}
/** By Responses alone: after the first words. */
const byResponses: Case[] = [
  ['says that it is still at it', () => own({ status: 'in_progress', output: [] }), 502, brokeOff],
  ['falls silent', () => ({ packets: [begin], after: 'silence' }), 504, timeout],
  ['is cut within an event', () => ({ packets: [begin, begin.slice(0, 40)], after: 'cut' }), 502, brokeOff],
  ['ends within an event', () => ({ packets: [begin, begin.slice(0, 40)] }), 502, brokeOff],
  ['ends too early', () => ({ packets: [begin] }), 502, brokeOff],
  ['says in its stream that it failed', () => ({ packets: [begin, event('error', { error: refusal })] }), 502, trouble],
  [
    'sends one event without end',
    () => ({ packets: forever(`data: ${'x'.repeat(1_000_000)}`), everyMs: 0 }),
    502,
    trouble,
  ],
  ['sends events without end', () => ({ packets: deltas(), everyMs: 0 }), 502, trouble],
];
const byChat: Case[] = [
  ['falls silent', () => ({ packets: [words('Hi')], after: 'silence' }), 504, timeout],
  ['is cut within an event', () => ({ packets: [words('Hi'), 'data: {"cho'], after: 'cut' }), 502, brokeOff],
  ['ends too early', () => ({ packets: [words('Hi')] }), 502, brokeOff],
];

const kinds = [
  { engine: 'sqlite' as const, by: 'Responses', cases: [...bodies, ...byResponses] },
  { engine: 'sqlite' as const, by: 'Chat Completions', cases: [...bodies, ...byChat] },
];

async function started(engine: (typeof engines)[number], servesResponses: boolean) {
  const current = { script: (): RawAnswer => ({ packets: [] }) };
  const provider = await startRawProvider((asked) =>
    asked === '/responses' && !servesResponses ? { status: 404, headers: json, packets: ['{}'] } : current.script(),
  );
  const app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url }, providerTimes: times });
  const ada = await app.withKey('ada');
  await created(ada, { name: 'Tutor', model: 'gpt-4o', instructions: 'Teach.' });
  const own = await program(app, ada, { monthlyBudgetUsd: 1 });
  return {
    app,
    provider,
    current,
    ...own,
    async stop() {
      await app.stop();
      await provider.close();
    },
  };
}

type Started = Awaited<ReturnType<typeof started>>;

/** What was recorded meanwhile, once the provider is let go of. */
async function recordedOf({ app, provider, id }: Started, work: () => Promise<unknown>) {
  const [known, before] = [(await recorded(app, id)).length, provider.sent()];
  await work();
  const records = (await recorded(app, id)).slice(known);
  await until('The end of the connection', async () => provider.open() === 0);
  expect(provider.sent() - before).toBeLessThan(150 * mebibyte);
  return records;
}

describe.each(kinds)('responses of a provider that misbehaves, by $by', ({ engine, by, cases }) => {
  let all: Started;
  beforeAll(async () => {
    all = await started(engine, by === 'Responses');
  });
  afterAll(() => all.stop());

  const posted = (body: object) =>
    called(all.app, all.token, path, { method: 'POST', body: { input: 'Hello', ...body } });
  const ofAll = (app: TestApp) => called(app, all.token, path);

  test.each(cases)('that %s', async (_what, answer, status, code) => {
    all.current.script = answer;
    const estimated = { estimated: 1, output_tokens: expect.any(Number) };
    let told: Awaited<ReturnType<typeof posted>> | undefined;
    const atOnce = await recordedOf(all, async () => {
      told = await posted({ model: 'gpt-4o' });
    });
    expect([told?.status, told?.body.error], told?.text).toMatchObject([status, { code, type: 'server_error' }]);
    expect(atOnce).toMatchObject([estimated]);

    let ended: unknown;
    const streamed = await recordedOf(all, async () => {
      const { status: answered, text, body } = await posted({ model: 'Tutor@roster', stream: true });
      if (answered !== 200) {
        expect([answered, body.error.code]).toEqual([status, code]);
        return;
      }
      const events = eventsIn(text);
      expect(events.slice(-2)).toMatchObject([
        { type: 'error', code },
        { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
      ]);
      ended = events.at(-1)?.response;
    });
    expect(streamed).toMatchObject([estimated]);
    if (ended) expect(await all.client.responses.retrieve(Object(ended).id)).toMatchObject(Object(ended));

    const unattended = await recordedOf(all, async () => {
      const { id } = (await posted({ model: 'gpt-4o', background: true })).body;
      const response = await until('The end of the response', async () => {
        const found = await all.client.responses.retrieve(id);
        return found.status === 'failed' && found;
      });
      expect(response).toMatchObject({ error: { code: 'server_error' } });
      const { status: refused } = await posted({ model: 'gpt-4o', previous_response_id: id });
      expect(refused).toBe(400);
    });
    expect(unattended).toMatchObject([estimated]);
    expect((await ofAll(all.app)).status).toBe(404);
  });
});

test.each(engines)('what a provider claims of responses that cannot be true is not believed on %s', async (engine) => {
  const all = await started(engine, true);
  all.current.script = () => own({ output: [], usage });
  const records = await recordedOf(all, async () => {
    const response = await all.client.responses.create({ model: 'gpt-4o', input: 'Hello' });
    expect(response.status).toBe('completed');
  });
  expect(records).toMatchObject([{ estimated: 1 }]);
  expect(Number(records[0]?.cost_usd)).toBeLessThan(0.01);
  await all.stop();
});
