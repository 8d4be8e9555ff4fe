import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import { callApi } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { event, forever, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';
import { eventsIn, newClient, responsesPath as path, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>\n';
const mebibyte = 1024 * 1024;
/** Timeouts for answers that never arrive; others have the usual ones. */
const hasty = { beginsMs: 800, silentMs: 800, wholeMs: 800, answerMs: 1_500, backgroundMs: 1_500 };
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
/** Responses only: failures after the first words. */
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

/** A scripted provider, and the installations that use it. */
async function startProvider(servesResponses: boolean) {
  const current = { script: (): RawAnswer => ({ packets: [] }) };
  const provider = await startRawProvider((path) =>
    path === '/responses' && !servesResponses ? { status: 404, headers: json, packets: ['{}'] } : current.script(),
  );
  return { ...provider, current };
}

type Provider = Awaited<ReturnType<typeof startProvider>>;

/** Clients that ask at once, in a stream, and in the background. */
async function installed(engine: Engine, provider: Provider, providerTimes?: Partial<ProviderTimeouts>) {
  const app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url }, providerTimes });
  const ada = await app.withKey('ada');
  await createAssistant(ada, { name: 'Tutor', model: 'gpt-4o', instructions: 'Teach.' });
  const own = () => newClient(app, ada, { monthlyBudgetUsd: 1 });
  return { app, provider, atOnce: await own(), streaming: await own(), unattended: await own() };
}

type Installed = Awaited<ReturnType<typeof installed>>;
type Client = Installed['atOnce'];

/** Usage recorded under a token during `work`. */
async function recordedOf(app: TestApp, { id }: Client, work: () => Promise<unknown>) {
  const before = (await recorded(app, id)).length;
  await work();
  return (await recorded(app, id)).slice(before);
}

describe.each(kinds)('responses of a misbehaving provider, by $by', ({ engine, by, cases }) => {
  let provider: Provider;
  let usual: Installed;
  let impatient: Installed;
  beforeAll(async () => {
    provider = await startProvider(by === 'Responses');
    usual = await installed(engine, provider);
    impatient = await installed(engine, provider, hasty);
  });
  afterAll(async () => {
    await usual.app.stop();
    await impatient.app.stop();
    await provider.close();
  });

  test.each(cases)('reports one that %s', async (_what, answer, status, code) => {
    provider.current.script = answer;
    const { app, atOnce, streaming, unattended } = code === timeout ? impatient : usual;
    const posted = ({ token }: Client, body: object) =>
      callApi(app, token, path, { method: 'POST', body: { model: 'gpt-4o', input: 'Hello', ...body } });
    const before = provider.sent();
    const records = await Promise.all([
      recordedOf(app, atOnce, async () => {
        const { status: received, body, text } = await posted(atOnce, {});
        expect([received, body.error], text).toMatchObject([status, { code, type: 'server_error' }]);
      }),
      recordedOf(app, streaming, async () => {
        const { status: received, text, body } = await posted(streaming, { model: 'Tutor@roster', stream: true });
        if (received !== 200) return expect([received, body.error.code]).toEqual([status, code]);
        const events = eventsIn(text);
        expect(events.slice(-2)).toMatchObject([
          { type: 'error', code },
          { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
        ]);
        const ended = Object(events.at(-1)?.response);
        expect(await streaming.client.responses.retrieve(ended.id)).toMatchObject(ended);
      }),
      recordedOf(app, unattended, async () => {
        const { id } = (await posted(unattended, { background: true })).body;
        const response = await until('The end of the response', async () => {
          const found = await unattended.client.responses.retrieve(id);
          return found.status === 'failed' && found;
        });
        expect(response).toMatchObject({ error: { code: 'server_error' } });
        expect((await posted(unattended, { previous_response_id: id })).status).toBe(400);
      }),
    ]);
    for (const record of records) expect(record).toMatchObject([{ estimated: 1 }]);
    await until('The end of the connections', async () => provider.open() === 0);
    expect(provider.sent() - before).toBeLessThan(3 * 100 * mebibyte);
  });
});

test.each(engines)('ignores a provider’s impossible claims about responses on %s', async (engine) => {
  const provider = await startProvider(true);
  onTestFinished(provider.close);
  const { app, atOnce } = await installed(engine, provider);
  onTestFinished(app.stop);
  provider.current.script = () => own({ output: [], usage });
  const records = await recordedOf(app, atOnce, async () => {
    const response = await atOnce.client.responses.create({ model: 'gpt-4o', input: 'Hello' });
    expect(response.status).toBe('completed');
  });
  expect(records).toMatchObject([{ estimated: 1 }]);
  expect(Number(records[0]?.cost_usd)).toBeLessThan(0.01);
});
