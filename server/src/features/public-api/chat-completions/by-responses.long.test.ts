import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import { callApi } from '#server/testing/access-tokens';
import { engines, startApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { conforming } from '#server/testing/openai-schema';
import { event, forever, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';
import { newClient, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const path = '/v1/chat/completions';
const json = { 'content-type': 'application/json' };
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>\n';
/** Timeouts for answers that never arrive; others have the usual ones. */
const hasty = { beginsMs: 800, silentMs: 800, wholeMs: 800, answerMs: 1_500 };
const refusal = { message: 'Overloaded', type: 'server_error', code: 'server_error', param: null };
const usage = { input_tokens: 7, output_tokens: 5 };

const textDelta = (delta: string, output_index = 0) =>
  event('response.output_text.delta', { item_id: `msg_${output_index}`, output_index, content_index: 0, delta });
const ended = (type = 'completed', response: object = { usage }) => event(`response.${type}`, { response });
const itemDone = (item: object, output_index = 0) => event('response.output_item.done', { output_index, item });
const message = (text: string, annotations: object[] = []) => ({
  type: 'message',
  content: [{ type: 'output_text', text, annotations }],
});
function* endless() {
  for (;;) yield textDelta('x'.repeat(1_000_000));
}

async function installed(engine: Engine, url: string, providerTimes?: Partial<ProviderTimeouts>) {
  const app = await startApp(engine, { env: { PROVIDER_BASE_URL: url }, providerTimes });
  const ada = await app.withKey('ada');
  await createAssistant(ada, { name: 'Scout', model: 'gpt-4o', tools: { webSearch: {} } });
  return { app, ...(await newClient(app, ada)) };
}

describe.each(engines)('chat completions by Responses, on %s, with a provider that', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let usual: Awaited<ReturnType<typeof installed>>;
  let impatient: Awaited<ReturnType<typeof installed>>;
  let script: (path: string) => RawAnswer;
  beforeAll(async () => {
    provider = await startRawProvider((askProvider) => script(askProvider));
    usual = await installed(engine, provider.url);
    impatient = await installed(engine, provider.url, hasty);
  });
  afterAll(async () => {
    await usual.app.stop();
    await impatient.app.stop();
    await provider.close();
  });

  async function askProvider(answer: RawAnswer, stream: boolean, code?: string) {
    script = () => answer;
    const { app, id, token } = code === 'provider_timeout' ? impatient : usual;
    const before = (await recorded(app, id)).length;
    const body = { model: 'Scout@roster', messages: [{ role: 'user', content: 'Hello' }], stream };
    const response = await callApi(app, token, path, { method: 'POST', body });
    await until('The end of the connections', async () => provider.open() === 0);
    return { ...response, records: (await recorded(app, id)).slice(before) };
  }

  /** The complete answer, and the same assembled from the chunks of a stream. */
  async function answered(packets: string[]) {
    const whole = await askProvider({ packets }, false);
    const { choices, ...rest } = conforming('CreateChatCompletionResponse', whole.body);
    const stream = await askProvider({ packets }, true);
    const blocks = stream.text.split('\n\n').filter((block) => block !== '');
    expect(blocks.pop()).toBe('data: [DONE]');
    const chunks = blocks.map((block) => conforming('CreateChatCompletionStreamResponse', JSON.parse(block.slice(6))));
    const deltas = chunks.map((chunk) => chunk.choices[0].delta);
    const { content, refusal: refused, tool_calls: calls, annotations } = choices[0].message;
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(content ?? '');
    expect(deltas.map((delta) => delta.refusal ?? '').join('')).toBe(refused ?? '');
    expect(deltas.flatMap((delta) => delta.annotations ?? [])).toEqual(annotations);
    const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []);
    for (const [index, call] of (calls ?? []).entries()) {
      const own = pieces.filter((piece) => piece.index === index);
      expect(own[0]).toMatchObject({ id: call.id, function: { name: call.function.name } });
      expect(own.map((piece) => piece.function.arguments).join('')).toBe(call.function.arguments);
    }
    expect(chunks.at(-1).choices[0].finish_reason).toBe(choices[0].finish_reason);
    return { ...choices[0], ...rest, records: whole.records };
  }

  const brokeOff = ['provider_broke_off', 502] as const;
  const timeout = ['provider_timeout', 504] as const;
  const trouble = ['provider_unavailable', 502] as const;
  type Case = [what: string, answer: () => RawAnswer, expected: readonly [code: string, status: number], text: string];
  const misbehaving: Case[] = [
    ['never answers', () => ({ packets: [], isSilent: true }), timeout, ''],
    ['cuts the connection', () => ({ packets: [], after: 'cut' }), brokeOff, ''],
    ['answers with half an answer', () => ({ headers: json, packets: ['{"output":[{"ty'] }), brokeOff, ''],
    ['answers with no answer', () => ({ headers: json, packets: ['{}'] }), brokeOff, ''],
    ['sends a page as events', () => ({ packets: [page] }), brokeOff, ''],
    ['sends events that cannot be read', () => ({ packets: ['data: {"type":\n\n'] }), brokeOff, ''],
    ['falls silent', () => ({ packets: [textDelta('Hi')], after: 'silence' }), timeout, 'Hi'],
    ['is slow without end', () => ({ packets: forever(textDelta('Hi')), everyMs: 50 }), timeout, 'Hi'],
    [
      'is cut within an event',
      () => ({ packets: [textDelta('Hi'), textDelta('so').slice(0, 40)], after: 'cut' }),
      brokeOff,
      'Hi',
    ],
    ['ends too early', () => ({ packets: [textDelta('Hi')] }), brokeOff, 'Hi'],
    ['says that it failed', () => ({ packets: [textDelta('Hi'), event('error', { error: refusal })] }), trouble, 'Hi'],
    ['fails in the end', () => ({ packets: [textDelta('Hi'), ended('failed', { error: refusal })] }), trouble, 'Hi'],
    ['never ends', () => ({ packets: endless(), everyMs: 0 }), trouble, 'xxx'],
  ];
  // The engine does not affect what the client receives: one case is enough for the other.
  test.each(engine === 'sqlite' ? misbehaving : misbehaving.slice(-1))(
    '%s',
    async (_, answer, [code, status], text) => {
      const whole = await askProvider(answer(), false, code);
      expect([whole.status, whole.body.error?.code]).toEqual([status, code]);
      expect(whole.records).toMatchObject([{ estimated: 1 }]);
      const stream = await askProvider(answer(), true, code);
      const last = stream.text.trim().split('\n').at(-1) ?? '';
      expect(stream.text).toContain(text);
      expect(stream.text).not.toContain('[DONE]');
      expect(JSON.parse(stream.status === 200 ? last.slice(6) : last).error).toMatchObject({
        code,
        type: 'server_error',
      });
      expect(stream.records).toMatchObject([{ estimated: 1 }]);
    },
  );

  test('says two messages: joins them, with links at the right places', async () => {
    const annotation = {
      type: 'url_citation',
      url: 'https://example.org',
      title: 'Rain',
      start_index: 0,
      end_index: 4,
    };
    const answer = await answered([
      event('response.created', { response: { model: 'gpt-4o-2024' } }),
      textDelta('Look.'),
      itemDone(message('Look.')),
      itemDone({ type: 'web_search_call', id: 'ws_1', status: 'completed' }, 1),
      textDelta('Rain', 2),
      event('response.output_text.annotation.added', { output_index: 2, content_index: 0, annotation }),
      textDelta('.', 2),
      itemDone(message('Rain.', [annotation]), 2),
      ended(),
    ]);
    const { start_index: from, end_index: to } = answer.message.annotations[0].url_citation;
    expect(answer.message.content.slice(from, to)).toBe('Rain');
    expect(answer).toMatchObject({
      model: 'gpt-4o-2024',
      finish_reason: 'stop',
      message: { content: 'Look.\n\nRain.', annotations: [{ url_citation: { url: 'https://example.org' } }] },
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    });
    expect(answer.records).toMatchObject([{ estimated: 0 }, { purpose: 'tool', model: 'web_search' }]);
  });

  test('says everything in its items alone: reads them', async () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'get_weather', arguments: '{"a":1}' });
    const answer = await answered([itemDone(message('Hi')), itemDone(call('a'), 1), itemDone(call('b'), 2), ended()]);
    expect(answer).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Hi', tool_calls: [{ id: 'a', function: { arguments: '{"a":1}' } }, { id: 'b' }] },
    });
    const refused = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    expect(await answered([itemDone(refused), ended()])).toMatchObject({ message: { content: null, refusal: 'No.' } });
    // Includes servers that answer at once when events were requested.
    const output = [message('Hi'), call('a')];
    const body = JSON.stringify({ status: 'completed', output, usage });
    const whole = await askProvider({ headers: json, packets: [body] }, true);
    expect(whole.text).toContain('"content":"Hi"');
    expect(whole.text).toContain('"finish_reason":"tool_calls"');
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('ends for %s: says so', async (reason, finish) => {
    const packets = [textDelta('Hi'), ended('incomplete', { incomplete_details: { reason }, usage })];
    expect(await answered(packets)).toMatchObject({ finish_reason: finish, message: { content: 'Hi' } });
  });

  test('says nothing, or everything only at the end: reads it', async () => {
    expect(await answered([ended()])).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const all = await answered([ended('completed', { usage, output: [search, message('Hi')] })]);
    expect(all).toMatchObject({ message: { content: 'Hi' }, records: [{}, { purpose: 'tool' }] });
    const texts = { output_index: 0, content_index: 0, text: 'Hi' };
    expect(await answered([event('response.output_text.done', texts), ended()])).toMatchObject({
      message: { content: 'Hi' },
    });
    const calls = ['a', 'b'].flatMap((id) => [
      event('response.output_item.added', { item: { type: 'function_call', id, name: 'f', call_id: `call_${id}` } }),
      event('response.function_call_arguments.done', { item_id: id, arguments: `{"${id}":1}` }),
    ]);
    expect((await answered([...calls, ended()])).message.tool_calls).toMatchObject([
      { id: 'call_a', function: { arguments: '{"a":1}' } },
      { id: 'call_b', function: { arguments: '{"b":1}' } },
    ]);
  });

  test('writes more than plain letters: puts links at the right places', async () => {
    const place = { output_index: 1, content_index: 1 };
    const annotation = { type: 'url_citation', url: 'https://example.org', title: '', start_index: 1, end_index: 4 };
    const { message: whole } = await answered([
      textDelta('😀'),
      textDelta('😀', 1),
      event('response.output_text.delta', { ...place, delta: '😀Two' }),
      event('response.output_text.annotation.added', { ...place, annotation }),
      ended(),
    ]);
    expect(whole.content).toBe('😀\n\n😀😀Two');
    const { start_index: from, end_index: to } = whole.annotations[0].url_citation;
    expect([...whole.content].slice(from, to).join('')).toBe('Two');
  });

  test('fails in the end: records the reported usage', async () => {
    const packets = [textDelta('Hi'), ended('failed', { error: refusal, usage })];
    for (const stream of [false, true])
      expect((await askProvider({ packets }, stream)).records).toMatchObject([
        { estimated: 0, input_tokens: 7, output_tokens: 5 },
      ]);
  });

  test.each([
    ["The following tools cannot be used with reasoning.effort 'minimal': web_search.", 'tools', 200, false],
    ['Web Search cannot be used with JSON mode.', 'text', 200, false],
    ["Hosted tool 'web_search' is not supported with gpt-4o.", 'tools', 200, true],
    ["Invalid schema for function 'web_search': 'x' is not supported.", 'tools[0].parameters', 400, false],
    ['File type .xyz is not supported by web_search', 'tools[0]', 400, false],
  ])('refuses with %j', async (words, param, status, isLearned) => {
    let isFirst = true;
    const whole = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hi' } }] });
    const other = await startRawProvider((asking) => {
      if (asking === '/chat/completions') return { headers: json, packets: [whole] };
      if (!isFirst) return { packets: [textDelta('Hi'), ended()] };
      isFirst = false;
      return { status: 400, headers: json, packets: [JSON.stringify({ error: { message: words, param } })] };
    });
    onTestFinished(() => other.close());
    const { app, token } = await installed(engine, other.url);
    onTestFinished(() => app.stop());
    const body = { model: 'Scout@roster', messages: [{ role: 'user', content: 'Hello' }] };
    const ask = () => callApi(app, token, path, { method: 'POST', body });
    const [first, second] = [await ask(), await ask()];
    expect(first.status).toBe(status);
    expect(String(first.headers['x-roster-note']).startsWith('Web search was left out: ')).toBe(status === 200);
    expect(String(second.headers['x-roster-note']).includes('gpt-4o does not support it')).toBe(isLearned);
  });

  test('claims what cannot be true: ignores it', async () => {
    const claimed = { input_tokens: 9_007_199_254_740_991, output_tokens: 200_000_000 };
    const answer = await answered([textDelta('Hi'), ended('completed', { usage: claimed })]);
    expect(answer.records).toMatchObject([{ estimated: 1, output_tokens: 1 }]);
    expect(answer.usage).toBeUndefined();
    const damaged = itemDone({ type: 'function_call', call_id: 7, name: {}, arguments: [] });
    expect(
      (await askProvider({ packets: [damaged, textDelta('Hi', -1), ended('completed', { model: 5 })] }, true)).status,
    ).toBe(200);
  });

  test('does not know an item: still takes it to serve Responses', async () => {
    const words = "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.";
    script = () => ({ status: 404, headers: json, packets: [JSON.stringify({ error: { message: words } })] });
    const { app, token } = usual;
    const input = [{ type: 'reasoning', id: 'rs_1', summary: [] }];
    const response = await callApi(app, token, '/v1/responses', { method: 'POST', body: { model: 'gpt-4o', input } });
    expect([response.status, response.body.error.message]).toEqual([
      404,
      expect.stringContaining("Item with id 'rs_1'"),
    ]);
    expect(await answered([textDelta('Hi'), ended()])).toMatchObject({ message: { content: 'Hi' } });
  });

  test('turns out to serve no Responses: uses Chat Completions, and says so', async () => {
    const other = await startRawProvider((asking) =>
      asking === '/responses' ? { status: 404, headers: json, packets: ['{}'] } : { packets: [words('Hi', 'stop')] },
    );
    onTestFinished(() => other.close());
    const { app, token } = await installed(engine, other.url);
    onTestFinished(() => app.stop());
    const body = { model: 'Scout@roster', messages: [{ role: 'user', content: 'Hello' }], stream: true };
    const ask = () => callApi(app, token, path, { method: 'POST', body });
    const [first, second] = [await ask(), await ask()];
    expect(other.asked).toEqual(['/responses', '/chat/completions', '/chat/completions']);
    expect([first.text, second.text]).toEqual([words('Hi', 'stop'), words('Hi', 'stop')]);
    expect(first.headers['x-roster-note']).toBe('Web search was left out: the provider serves no Responses.');
    expect(second.headers['x-roster-note']).toMatch(/^Web search was left out: .* does not run tools\.$/);
  });
});
