import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { withFault } from '#server/testing/faults';
import { uploaded } from '#server/testing/files';
import { untilIndexed } from '#server/testing/knowledge';
import { chunk, forever, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';
import { recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hello' }];
const done = 'data: [DONE]\n\n';
const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>\n';
const mebibyte = 1024 * 1024;
/** Timeouts for answers that never arrive; others have the usual ones. */
const hasty = { beginsMs: 800, silentMs: 800, wholeMs: 800, storeMs: 800, answerMs: 1_500 };
const whole = (fields: object) =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], ...fields });
const refusal = { error: { message: 'Overloaded', type: 'server_error', code: 'server_error', param: null } };

type Case = [what: string, answer: () => RawAnswer, status: number, code: string];

/** Failures before any of the answer has reached the client. */
const beginnings: Case[] = [
  ['never answers', () => ({ packets: [], isSilent: true }), 504, 'provider_timeout'],
  ['cuts the connection', () => ({ packets: [], after: 'cut' }), 502, 'provider_broke_off'],
  ['answers with a page', () => ({ headers: html, packets: [page] }), 502, 'provider_broke_off'],
  ['answers with nothing', () => ({ headers: json, packets: [] }), 502, 'provider_broke_off'],
  [
    'answers with half an answer',
    () => ({ headers: json, packets: [whole({}).slice(0, 30)] }),
    502,
    'provider_broke_off',
  ],
  ['answers with a list', () => ({ headers: json, packets: ['[]'] }), 502, 'provider_broke_off'],
  [
    'says with status 200 that it failed',
    () => ({ headers: json, packets: [JSON.stringify(refusal)] }),
    502,
    'provider_unavailable',
  ],
  [
    'falls silent in the middle',
    () => ({ headers: json, packets: ['{"choices":'], after: 'silence' }),
    504,
    'provider_timeout',
  ],
  [
    'breaks off in the middle',
    () => ({ headers: json, packets: ['{"choices":'], after: 'cut' }),
    502,
    'provider_broke_off',
  ],
  [
    'answers without end',
    () => ({ headers: json, packets: forever('x'.repeat(65_536)), everyMs: 0 }),
    502,
    'provider_unavailable',
  ],
  [
    'answers slowly and without end',
    () => ({ headers: json, packets: forever(' '), everyMs: 50 }),
    504,
    'provider_timeout',
  ],
  [
    'fails with a page without end',
    () => ({ status: 503, headers: html, packets: forever(page), everyMs: 0 }),
    502,
    'provider_unavailable',
  ],
];

/** Failures in a started stream: the words that arrive, and the error at the end. */
const streams: [what: string, answer: () => RawAnswer, text: string, code: string][] = [
  ['falls silent', () => ({ packets: [words('Hi')], after: 'silence' }), words('Hi'), 'provider_timeout'],
  ['is cut', () => ({ packets: [words('Hi')], after: 'cut' }), words('Hi'), 'provider_broke_off'],
  [
    'is cut within an event',
    () => ({ packets: [words('Hi'), words('so').slice(0, 20)], after: 'cut' }),
    words('Hi'),
    'provider_broke_off',
  ],
  [
    'ends within an event',
    () => ({ packets: [words('Hi'), words('so').slice(0, 20)] }),
    words('Hi'),
    'provider_broke_off',
  ],
  ['ends too early', () => ({ packets: [words('Hi')] }), words('Hi'), 'provider_broke_off'],
  ['is empty', () => ({ packets: [] }), '', 'provider_broke_off'],
  ['is a page', () => ({ packets: [page] }), '', 'provider_broke_off'],
  ['is garbage', () => ({ packets: [Buffer.from([0xff, 0, 0xc3, 0x28, 0xf0])] }), '', 'provider_broke_off'],
  [
    'is one event without end',
    () => ({ packets: forever(`data: ${'x'.repeat(65_536)}`), everyMs: 0 }),
    '',
    'provider_unavailable',
  ],
];

type Client = { id: number; token: string; model: string };

async function installed(engine: Engine, url: string, providerTimes?: Partial<ProviderTimeouts>) {
  const app = await startApp(engine, { env: { PROVIDER_BASE_URL: url }, providerTimes });
  const ada = await app.withKey('ada');
  await createAssistant(ada, { name: 'Tutor', model: 'gpt-4o', instructions: 'Teach.' });
  // Their budgets would be used up by one call that is never released, or that is billed an impossible amount.
  const clients: Client[] = [];
  for (const model of ['gpt-4o', 'Tutor@roster'])
    clients.push({ model, ...(await newToken(ada, { monthlyBudgetUsd: 1 })) });
  return { app, clients };
}

type ClientAnswer = Awaited<ReturnType<typeof callApi>> & {
  model: string;
  records: Awaited<ReturnType<typeof recorded>>;
};
type AskProvider = (answer: () => RawAnswer, stream: boolean, code?: string) => Promise<ClientAnswer[]>;

/** Reports do not depend on the engine, so one is enough; records may. */
function tellsAlike(askProvider: AskProvider) {
  describe.each([
    ['at once', false],
    ['as events', true],
  ])('answering %s', (_, stream) => {
    test.each(beginnings)('reports one that %s', async (_what, answer, status, code) => {
      for (const { status: received, body, text, records, headers } of await askProvider(answer, stream, code)) {
        if (received === 200) {
          // It had started, as events without text.
          expect([stream, String(headers['content-type'])]).toEqual([true, expect.stringContaining('event-stream')]);
          expect(JSON.parse(text.slice(6))).toMatchObject({ error: { code } });
        } else expect([received, body.error], text).toMatchObject([status, { code, type: 'server_error' }]);
        expect(text).not.toContain('<html');
        expect(records).toMatchObject([{ estimated: 1, output_tokens: 0 }]);
      }
    });
  });

  test.each(streams)('reports one whose stream %s', async (_what, answer, text, code) => {
    for (const outcome of await askProvider(answer, true, code)) {
      expect([outcome.status, outcome.text.startsWith(text)]).toEqual([200, true]);
      const rest = outcome.text.slice(text.length);
      expect(rest).toMatch(/^data: [^\n]*\n\n$/);
      expect(JSON.parse(rest.slice(6)), rest).toMatchObject({ error: { code, type: 'server_error', param: null } });
      expect(outcome.records).toMatchObject([{ estimated: 1, output_tokens: text === '' ? 0 : 1 }]);
    }
  });
}

describe.each(engines)('a misbehaving provider, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let usual: Awaited<ReturnType<typeof installed>>;
  let impatient: Awaited<ReturnType<typeof installed>>;
  let script: () => RawAnswer;
  beforeAll(async () => {
    provider = await startRawProvider(() => script());
    usual = await installed(engine, provider.url);
    impatient = await installed(engine, provider.url, hasty);
  });
  afterAll(async () => {
    await usual.app.stop();
    await impatient.app.stop();
    await provider.close();
  });

  /**
   * Asks as a model and as an assistant, each with its own token. Returns what each was told, and what was recorded.
   */
  async function askProvider(answer: () => RawAnswer, stream: boolean, code?: string) {
    script = answer;
    const { app, clients } = code === 'provider_timeout' ? impatient : usual;
    const before = provider.sent();
    const all = await Promise.all(
      clients.map(async ({ id, token, model }) => {
        const before = (await recorded(app, id)).length;
        const response = await callApi(app, token, path, { method: 'POST', body: { model, messages, stream } });
        const records = (await recorded(app, id)).slice(before);
        return { ...response, model, records };
      }),
    );
    await until('The end of the connections', async () => provider.open() === 0);
    for (const { records, model } of all) expect(records, model).toHaveLength(1);
    expect(provider.sent() - before).toBeLessThan(2 * 40 * mebibyte);
    return all;
  }

  if (engine === 'sqlite') tellsAlike(askProvider);

  test('waits for a slow stream, but not without end', async () => {
    const slow = { packets: [words('A'), words('B', 'stop'), done], everyMs: 400 };
    for (const { text, records } of await askProvider(() => slow, true)) {
      expect(text).toBe(slow.packets.join(''));
      expect(records).toMatchObject([{ output_tokens: 3 }]);
    }
    const endless = () => ({ packets: forever(words('A')), everyMs: 50 });
    for (const { text } of await askProvider(endless, true, 'provider_timeout'))
      expect(JSON.parse(text.trim().split('\n').at(-1)?.slice(6) ?? '')).toMatchObject({
        error: { code: 'provider_timeout' },
      });
  });

  test('passes on a failure reported in the stream, and adds nothing', async () => {
    for (const error of [refusal, { error: 'Out of memory' }]) {
      const packets = [words('Hi'), chunk(error)];
      for (const { text } of await askProvider(() => ({ packets }), true)) expect(text).toBe(packets.join(''));
    }
  });

  test.each([
    ['detail', { detail: 'Out of memory' }],
    ['message', { code: 'Busy', message: 'Out of memory' }],
    ['object', { object: 'error', message: 'Out of memory' }],
    ['list', [{ error: { code: 500, message: 'Out of memory' } }]],
    ['success', { success: false, msg: 'Out of memory' }],
    ['status_msg', { choices: null, base_resp: { status_code: 1000, status_msg: 'Out of memory' } }],
  ])('reports one that fails in its stream with %s like any failure', async (_form, failing) => {
    const packets = [words('Hi'), `data: ${JSON.stringify(failing)}\n\n`, words('more'), done];
    for (const { text, records } of await askProvider(() => ({ packets }), true)) {
      expect(text.startsWith(words('Hi'))).toBe(true);
      expect(JSON.parse(text.slice(words('Hi').length + 'data: '.length))).toMatchObject({
        error: { message: expect.stringContaining('Out of memory'), code: expect.any(String) },
      });
      expect(records).toMatchObject([{ estimated: 1 }]);
    }
  });

  test.each(['text/plain', 'application/json', 'application/octet-stream'])(
    'streams events that arrive as %s',
    async (type) => {
      const packets = [': first\n\n', words('Hi', 'stop'), done];
      for (const { text, headers } of await askProvider(() => ({ headers: { 'content-type': type }, packets }), true)) {
        expect(text).toBe(packets.join(''));
        expect(headers['content-type']).toContain('text/event-stream');
      }
    },
  );

  test('treats a stream with little but comments after its end as ended', async () => {
    const packets = [words('Hi', 'stop'), ...Array.from({ length: 9 }, () => ': waiting\n\n')];
    for (const { text } of await askProvider(() => ({ packets, everyMs: 5 }), true))
      expect(text).toBe(packets.join(''));
  });

  test('rejects events that were not requested', async () => {
    for (const { status, body } of await askProvider(() => ({ packets: [words('Hi', 'stop'), done] }), false))
      expect([status, body.error.code]).toEqual([502, 'provider_broke_off']);
  });

  test.each([9_007_199_254_740_991, 1e300, 200_000_000])('ignores a claim of %d used tokens', async (tokens) => {
    const usage = { prompt_tokens: tokens, completion_tokens: tokens };
    const answered = await askProvider(() => ({ headers: json, packets: [whole({ usage })] }), false);
    const streamed = await askProvider(
      () => ({ packets: [words('Hi', 'stop'), chunk({ choices: [], usage }), done] }),
      true,
    );
    for (const { status, records } of [...answered, ...streamed]) {
      expect([status, records]).toMatchObject([200, [{ estimated: 1 }]]);
      expect(Number(records[0]?.cost_usd)).toBeLessThan(0.01);
    }
  });

  test('slows down one that sends more than is read, and frees both when the client leaves', async () => {
    script = () => ({ packets: forever(words('x'.repeat(10_000))), everyMs: 0 });
    const { app } = usual;
    const { id, token } = await newToken(await app.as('ada'));
    const before = provider.sent();
    const leaving = new AbortController();
    const answer = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...json },
      body: JSON.stringify({ model: 'gpt-4o', messages, stream: true }),
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    let last = -1;
    await until('The provider’s being held up', async () => {
      const now = provider.sent();
      const isHeld = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isHeld;
    });
    // The kernel buffers up to 32 MiB of a connection with a waiting reader, and there are two of them.
    expect(last - before).toBeLessThan(128 * mebibyte);
    leaving.abort();
    expect(await recorded(app, id)).toMatchObject([{ estimated: 1 }]);
    await until('The end of the connection', async () => provider.open() === 0);
  });
});

describe('an assistant whose files are searched at a provider', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite', { providerTimes: hasty });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test.each([
    ['that never answers', { hang: true }],
    ['that cuts the connection', { disconnect: true }],
    ['that answers with a page', { status: 200, body: page }],
    ['that answers with half an answer', { status: 200, body: '{"data":[{"file' }],
    ['that answers with a list', { status: 200, body: '[]' }],
    ['that says with status 200 that it failed', { status: 200, body: JSON.stringify(refusal) }],
    [
      'that answers with more than there can be',
      { status: 200, body: JSON.stringify({ data: ['x'.repeat(200_000)] }) },
    ],
    ['that fails', { fail: 'server_error' as const }],
  ])('%s: answers without them, and says so', async (_, fault) => {
    const { visitor, key } = await app.someone();
    const { id, token } = await newToken(visitor);
    const assistantId = await createAssistant(visitor, { name: 'Reader', model: 'gpt-4o' });
    const { id: fileId } = await uploaded(app, visitor, { filename: 'terms.txt', content: 'Thirty days.' });
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [fileId] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const { status, body, headers } = await withFault(app, fault, { key, path: '/vector_stores*' }, () =>
      callApi(app, token, path, { method: 'POST', body: { model: 'Reader@roster', messages } }),
    );
    expect([status, body.choices?.length], JSON.stringify(body)).toEqual([200, 1]);
    expect(String(headers['x-roster-note'])).toContain("The assistant's files could not be searched");
    expect(await recorded(app, id)).toMatchObject([{ estimated: 0 }]);
  });
});
