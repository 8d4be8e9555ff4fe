import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { choice, done, frame, rows, say } from '#server/testing/chat-shapes';
import { conforming } from '#server/testing/openai-schema';
import { eventsIn, orderOf, responsesPath as path } from '#server/testing/responses';

type Exchange = { type: string; answer: string; requests: Record<string, unknown>[]; without: string | undefined };

/** A scripted provider. */
async function startWords(exchange: Exchange) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'gpt-4o' }] }));
    if (exchange.without !== undefined && request.url?.endsWith(exchange.without)) {
      response.statusCode = 404;
      return response.end();
    }
    exchange.requests.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.setHeader('content-type', exchange.type);
    response.end(exchange.answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const model = 'gpt-4o';
const json = 'application/json';
const events = 'text/event-stream';
const frames = (...all: object[]) => all.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('');
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const outputMessage = (text: string) => ({
  ...message,
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});

type Item = { type: string; content?: { text?: string }[]; name?: string; arguments?: string };
type Last = { status: string; error: { message: string } | null; output: Item[] };

describe.each(engines)('relay of responses on %s', (engine) => {
  const exchange: Exchange = { type: json, answer: '', requests: [], without: undefined };
  let provider: Awaited<ReturnType<typeof startWords>>;
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    provider = await startWords(exchange);
    app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url } });
    ({ token } = await newToken(await app.withKey('ada')));
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });
  beforeEach(() => {
    exchange.requests = [];
  });

  const send = (body: object) => callApi(app, token, path, { method: 'POST', body: { model, input: 'Hi', ...body } });

  test('keeps every field of request and answer, known or not, except Roster’s own', async () => {
    const more = { new_field: { a: [1.5, null] }, service_tier: 'flex', metadata: { a: 'b' }, truncation: 'auto' };
    const answer = {
      id: 'resp_theirs',
      status: 'completed',
      model: 'gpt-4o-2024',
      output: [outputMessage('Hello')],
      unknown: [1],
    };
    exchange.answer = JSON.stringify({ ...answer, created_at: 1, store: false });
    const { body } = await send(more);
    expect(exchange.requests).toEqual([{ model, input: 'Hi', ...more, store: false }]);
    expect(body).toMatchObject({
      ...answer,
      id: expect.stringMatching(/^resp_\w{24}$/),
      store: true,
      metadata: { a: 'b' },
    });
    expect(body.created_at).toBeGreaterThan(1);
    expect((await callApi(app, token, `${path}/${body.id}`)).body).toEqual(body);
  });

  test('passes on unknown events, and names the response by its own id', async () => {
    const response = { id: 'resp_theirs', status: 'in_progress', output: [] };
    const strange = { type: 'acme:trace', sequence_number: 1, x: '"response":{' };
    exchange.type = events;
    exchange.answer = frames({ type: 'response.created', sequence_number: 0, response }, strange, {
      type: 'response.completed',
      sequence_number: 2,
      response: { ...response, output: [outputMessage('Hello')] },
    });
    const { text } = await send({ stream: true });
    expect(text).not.toContain('resp_theirs');
    expect(text).toContain(`event: acme:trace\ndata: ${JSON.stringify(strange)}\n\n`);
  });

  test('makes events of an answer that is not streamed, and uses what came if its end has no items', async () => {
    exchange.type = json;
    exchange.answer = JSON.stringify({ output: [outputMessage('Hello')] });
    const { text } = await send({ stream: true });
    expect(orderOf(eventsIn(text))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    exchange.type = events;
    exchange.answer = frames(
      { type: 'response.output_item.done', sequence_number: 0, output_index: 0, item: outputMessage('Kept') },
      { type: 'response.completed', sequence_number: 1 },
    );
    const [, last] = eventsIn((await send({ stream: true })).text);
    expect(conforming('Response', last?.response)).toMatchObject({
      status: 'completed',
      output: [outputMessage('Kept')],
    });
  });

  test('leaves files that only the provider has by the provider’s names', async () => {
    const theirs = [
      { type: 'file_citation', file_id: 'file-theirs', filename: 'a.md', index: 0 },
      { type: 'container_file_citation', file_id: 'cfile_1', container_id: 'cntr_1', filename: 'a.csv' },
    ];
    const output = [{ ...message, content: [{ type: 'output_text', text: 'Hello', annotations: theirs }] }];
    exchange.type = json;
    exchange.answer = JSON.stringify({ output });
    const { body } = await send({ tools: [{ type: 'file_search', vector_store_ids: ['vs_theirs'] }] });
    expect(body.output).toEqual(output);
    expect((await callApi(app, token, `${path}/${body.id}`)).body.output).toEqual(output);
  });

  test.each([
    ['no JSON', json, 'Hello'],
    ['a list', json, '[]'],
    ['events without an end', events, frames({ type: 'response.in_progress', sequence_number: 0 })],
  ])('reports a failure of the provider if it answers %s', async (_what, type, answer) => {
    Object.assign(exchange, { type, answer });
    const { status, body } = await send({});
    expect([status, body.error.code]).toEqual([502, 'provider_broke_off']);
  });

  // Must be last: from here on the provider is known to serve no Responses.
  test('reads Chat Completions of servers that leave much out', async () => {
    exchange.without = '/responses';
    exchange.type = events;
    const call = (id: string, name: string) => ({ id, index: 0, function: { name, arguments: '{}' } });
    const delta = (fields: object, more: object = {}) => ({ choices: [{ delta: fields, ...more }] });
    exchange.answer = frames(
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'One moment.' }),
      delta({ tool_calls: [call('a', 'one')] }),
      delta({ tool_calls: [call('b', 'two')] }, { finish_reason: 'tool_calls' }),
    );
    const { text } = await send({ stream: true, include: ['reasoning.encrypted_content'] });
    const last = eventsIn(text).at(-1)?.response;
    expect(conforming('Response', last)).toMatchObject({
      status: 'completed',
      output: [
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'One moment.' }] },
        { type: 'function_call', call_id: 'a', name: 'one', arguments: '{}' },
        { type: 'function_call', call_id: 'b', name: 'two', arguments: '{}' },
        { type: 'reasoning', encrypted_content: expect.any(String) },
      ],
    });
    exchange.type = json;
    exchange.answer = JSON.stringify({ choices: [{ message: { content: 'At once' }, finish_reason: 'length' }] });
    const { body, headers } = await send({ include: ['x'] });
    expect(body).toMatchObject({ status: 'incomplete', output: [{ content: [{ text: 'At once' }] }] });
    expect(String(headers['x-roster-note'])).toContain('include');
    exchange.requests = [];
    // A tool that an agent's command line offers by default, and that an answer can do without.
    const own = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } };
    const spared = [
      { type: 'namespace', name: 'mcp' },
      { type: 'custom', name: 'apply_patch' },
      { type: 'web_search' },
    ];
    const without = await send({ tools: [...spared, own], tool_choice: 'auto' });
    expect(without.status).toBe(200);
    expect(String(without.headers['x-roster-note'])).toContain('tools of the type namespace, custom, web_search');
    expect(exchange.requests.at(-1)).toMatchObject({
      tool_choice: 'auto',
      tools: [{ type: 'function', function: { name: 'shell' } }],
    });
    exchange.requests = [];
    for (const more of [
      { tools: spared, tool_choice: 'required' },
      { tools: [...spared, own], tool_choice: { type: 'custom', name: 'apply_patch' } },
    ]) {
      const refused = await send(more);
      expect([refused.status, refused.body.error.param, exchange.requests]).toEqual([400, 'tool_choice', []]);
    }
    // Extra fields of the provider's calls are sent back to it within their turn.
    exchange.answer = JSON.stringify({ choices: [{ message: { content: 'Done' }, finish_reason: 'stop' }] });
    const outputs = ['a', 'b'].map((call_id) => ({ type: 'function_call_output', call_id, output: '12' }));
    const turn = [{ role: 'user', content: 'Hi' }, ...Object(last).output, ...outputs];
    await send({ input: turn });
    await send({ input: [...turn, { role: 'user', content: 'And now?' }] });
    const sentMessages = exchange.requests.map(({ messages }) => messages);
    expect(sentMessages[0]).toMatchObject([
      { role: 'user' },
      { reasoning_content: 'Hm.', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      {},
      {},
    ]);
    expect(JSON.stringify(sentMessages[1])).not.toContain('Hm.');
    exchange.requests = [];
    // No part of a question is dropped silently.
    const saying = (content: unknown) => ({ input: [{ role: 'user', content }] });
    for (const [misshapen, param] of [
      [saying({ type: 'input_text', text: 'Hi' }), 'input'],
      [saying([{ type: 'input_text', txt: 'Hi' }]), 'input'],
      [saying(5), 'input'],
      [{ tools: {} }, 'tools'],
      [{ text: 'json' }, 'text'],
      [{ reasoning: 'high' }, 'reasoning'],
    ] as const) {
      const { status, body } = await send(misshapen);
      expect([status, body.error.param, exchange.requests]).toEqual([400, param, []]);
    }
  });

  test('reads Chat Completions in every form that servers use', async () => {
    exchange.without = '/responses';
    exchange.type = events;
    // The schema of Open Responses has no images.
    const described = rows.filter(([, , { images }]) => !images);
    for (const [shape, given, { text = '', reasoning = '', calls = [], reason, failure }] of described) {
      exchange.answer = given.map(frame).join('');
      const { text: body } = await send({ stream: true });
      const last: Last = Object(eventsIn(body).at(-1)?.response);
      const status = failure ? 'failed' : reason === undefined || reason === 'complete' ? 'completed' : 'incomplete';
      expect([shape, last.status]).toEqual([shape, status]);
      if (failure) {
        expect([shape, last.error?.message]).toEqual([shape, expect.stringMatching(failure)]);
        continue;
      }
      const { output } = last;
      const words = (type: string) =>
        output
          .flatMap((item) => (item.type === type ? (item.content ?? []).map((part) => part.text ?? '') : []))
          .join('');
      const found = output.flatMap((item) => (item.type === 'function_call' ? [[item.name, item.arguments]] : []));
      expect([shape, words('message'), words('reasoning'), found]).toEqual([shape, text, reasoning, calls]);
    }
  });

  test('puts images and sources of Chat Completions into its response', async () => {
    exchange.without = '/responses';
    exchange.type = events;
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const source = { citations: ['https://a.example/'], search_results: [{ url: 'https://a.example/', title: 'A' }] };
    exchange.answer = [
      choice({ images: [{ type: 'image_url', image_url: { url: png } }] }),
      { ...say('Rain[1]', 'stop'), ...source },
      done,
    ]
      .map(frame)
      .join('');
    const { body } = await send({});
    const cited = { type: 'url_citation', url: 'https://a.example/', title: 'A' };
    expect(body.output).toMatchObject([
      { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' },
      { type: 'message', content: [{ text: 'Rain[1]', annotations: [cited] }] },
    ]);
  });
});
