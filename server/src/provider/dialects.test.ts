import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '#server/security/secret';
import { completed, event, words as textChunk } from '#server/testing/raw-provider';
import { createGenerator } from './generate.ts';
import { keyChecker } from './key-check.ts';
import type { AnswerPiece, AnswerRequest } from './provider.ts';
import { providerLists } from './resources/lists.ts';
import { createProviderHttp } from './transport/http.ts';
import type { ProviderTimeouts } from './transport/timeouts.ts';

type ProviderRequest = { path: string; body: Record<string, unknown> };
type Reply = { status?: number; type?: string; text: string };

const json = (value: unknown, status = 200): Reply => ({ status, text: JSON.stringify(value) });
const page: Reply = { type: 'text/html', text: '<html><body>Welcome</body></html>' };
const events = (text: string): Reply => ({ type: 'text/event-stream', text });
const hello = events(`${textChunk('Hello', 'stop')}data: [DONE]\n\n`);
const key = new Secret('a-key-of-no-known-form-77');

async function provider(reply: (requests: ProviderRequest, response: ServerResponse) => Reply | undefined) {
  const requests: ProviderRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const one of request) chunks.push(one);
    const sent = Buffer.concat(chunks).toString();
    const one = { path: request.url ?? '', body: sent === '' ? {} : JSON.parse(sent) };
    requests.push(one);
    const answer = reply(one, response);
    if (!answer) return;
    const { status = 200, type = 'application/json', text } = answer;
    response.writeHead(status, { 'content-type': type, 'retry-after': '0' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, requests };
}

async function asking(url: string, times?: ProviderTimeouts) {
  const http = createProviderHttp(url, times);
  onTestFinished(async () => void (await http.close()));
  const learned = new Set<string>();
  const traits = {
    has: (model: string, trait: string) => learned.has(`${model} ${trait}`),
    learn: async (model: string, trait: string) => void learned.add(`${model} ${trait}`),
    works: async (model: string, trait: string) => void learned.delete(`${model} ${trait}`),
  };
  const answer = createGenerator(http, 'The house', traits);
  return async (more: Partial<AnswerRequest> = {}) => {
    const pieces: AnswerPiece[] = [];
    const base = { apiKey: key, model: 'm', instructions: '', temperature: 0.5, effort: null };
    const turns = [{ role: 'user' as const, text: 'Hi' }];
    const onPieces = (some: AnswerPiece[]) => void pieces.push(...some);
    await answer({ ...base, turns, ...more }, onPieces, new AbortController().signal);
    const textOf = (type: AnswerPiece['type']) =>
      pieces.flatMap((piece) => (piece.type === type && 'text' in piece ? piece.text : []));
    return { text: textOf('text').join(''), notes: textOf('note'), learned };
  };
}

const temperatureNote = 'The temperature was left out: m does not accept it.';

describe('omits a rejected field that an answer can do without', () => {
  test.each<[string, string, Reply, string[]]>([
    [
      'by its name',
      'temperature',
      json({ error: { message: 'Unsupported value', param: 'temperature' } }, 400),
      [temperatureNote],
    ],
    [
      'in words',
      'temperature',
      json({ error: { message: "'temperature' is not supported with this model", param: null } }, 400),
      [temperatureNote],
    ],
    [
      'with 422 and a place',
      'temperature',
      json({ detail: [{ loc: ['body', 'temperature'], msg: 'Extra inputs are not permitted' }] }, 422),
      [temperatureNote],
    ],
    [
      'as plain text',
      'temperature',
      { status: 400, type: 'text/plain', text: 'm does not support temperature' },
      [temperatureNote],
    ],
    [
      'by Anthropic',
      'temperature',
      json({ error: { message: '`temperature` may only be set to 1 when thinking is enabled.' } }, 400),
      [temperatureNote],
    ],
    [
      'as one that has to be another',
      'temperature',
      json({ error: { message: 'temperature must be 1 for this model' } }, 400),
      [temperatureNote],
    ],
    [
      'with the advice to remove it',
      'temperature',
      json({ error: { message: 'temperature is fixed here; please remove it' } }, 400),
      [temperatureNote],
    ],
    [
      'as deprecated',
      'temperature',
      json({ error: { message: '`temperature` is deprecated for this model.' } }, 400),
      [temperatureNote],
    ],
    [
      'by Mistral',
      'stream_options',
      json(
        {
          object: 'error',
          message: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
        },
        422,
      ),
      [],
    ],
    ['by an old server', 'stream_options', json({ error: "unrecognized field 'stream_options'" }, 400), []],
    [
      'by Gemini',
      'stream_options',
      json(
        [
          {
            error: {
              code: 400,
              message: 'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
            },
          },
        ],
        400,
      ),
      [],
    ],
    [
      'by a server in front of a model',
      'stream_options',
      json({ message: "create() got an unexpected keyword argument 'stream_options'" }, 500),
      [],
    ],
    [
      'inside a stream',
      'stream_options',
      events('data: {"error":{"message":"stream_options: unknown field","code":400}}\n\n'),
      [],
    ],
    ['as a limit', 'max_completion_tokens', json({ detail: 'Unknown field: max_completion_tokens' }, 422), []],
  ])('%s: %s', async (_how, field, refusal, notes) => {
    const house = await provider(({ path, body }) => {
      if (path === '/responses') return { status: 404, type: 'text/plain', text: '404 page not found' };
      return field in body ? refusal : hello;
    });
    const ask = await asking(house.url);
    const more = { maxOutputTokens: 50 };
    expect(await ask(more)).toMatchObject({ text: 'Hello', notes });
    if (field === 'max_completion_tokens') expect(house.requests.at(-1)?.body).toMatchObject({ max_tokens: 50 });
    const before = house.requests.length;
    // It is remembered, so the next message needs no second request.
    expect((await ask(more)).text).toBe('Hello');
    expect(house.requests.slice(before).map(({ path }) => path)).toEqual(['/chat/completions']);
  });

  test('does not omit a temperature that is out of bounds', async () => {
    const refusal = json({ error: { message: 'temperature must be 1 or less' } }, 400);
    const house = await provider(({ path }) => (path === '/responses' ? json({}, 404) : refusal));
    await expect((await asking(house.url))()).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('does not omit another field that only occurs in the words', async () => {
    const refusal = json({ error: { message: 'the messages say too much of temperature', param: 'messages' } }, 400);
    const house = await provider(({ path }) => (path === '/responses' ? json({}, 404) : refusal));
    await expect((await asking(house.url))()).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('uses Chat Completions if Responses are rejected', () => {
  test.each<[string, Reply]>([
    ['with 404', json({ detail: 'Not Found' }, 404)],
    ['with 405', { status: 405, text: '' }],
    ['by a page with 200', page],
    ['by nothing with 200', { type: 'text/event-stream', text: '' }],
    ['by an object with 200', json({ status: 'ok' })],
    ['with 400 for the path', json({ error: { message: 'Unknown path: /v1/responses' } }, 400)],
    ['with 403 for the path', json({ message: 'no Route matched with those values' }, 403)],
    ['with 403 and its own name', json({ message: 'Forbidden' }, 403)],
    ['with 400 and its own name as text', { status: 400, type: 'text/plain', text: '400 Bad Request' }],
    ['by a page with 403', { status: 403, type: 'text/html', text: '<html>Forbidden</html>' }],
    ['with 422 for messages', json({ detail: [{ loc: ['body', 'messages'], msg: 'Field required' }] }, 422)],
    ['with 500 for the path', json({ error: { message: 'Invalid URL (POST /v1/responses)' } }, 500)],
    ['with 500 by a gateway’s name for it', json({ message: 'createModelResponse is not supported by groq' }, 500)],
    ['with 503 for the path', { status: 503, type: 'text/plain', text: 'unsupported endpoint' }],
    ['inside a stream', events('data: {"type":"error","error":{"message":"Not Found","code":404}}\n\n')],
    ['by a stream of Chat Completions', hello],
    ['by an answer of Chat Completions', json({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] })],
  ])('%s', async (_how, refusal) => {
    const house = await provider(({ path }) => (path === '/responses' ? refusal : hello));
    const ask = await asking(house.url);
    expect(await ask()).toMatchObject({ text: 'Hello', learned: new Set(['* has no responses']) });
    const before = house.requests.length;
    expect((await ask()).text).toBe('Hello');
    expect(house.requests.length).toBe(before + 1);
  });

  test('for one model only if only that was rejected', async () => {
    const refusal = json({ error: { message: 'The model m is not supported in the Responses API.' } }, 400);
    const house = await provider(({ path }) => (path === '/responses' ? refusal : hello));
    expect((await (await asking(house.url))()).learned).toEqual(new Set(['m has no responses']));
  });

  test('but not if a provider that has them fails', async () => {
    const house = await provider(() => json({ error: { message: 'The server is overloaded' } }, 503));
    await expect((await asking(house.url))()).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(new Set(house.requests.map(({ path }) => path))).toEqual(new Set(['/responses']));
  });

  test('and learns nothing about Responses if they fail too', async () => {
    const house = await provider(({ path }) =>
      path === '/responses' ? json({}, 404) : json({ error: 'Bad key' }, 401),
    );
    const ask = await asking(house.url);
    await expect(ask()).rejects.toMatchObject({ code: 'key_rejected' });
    await expect(ask()).rejects.toMatchObject({ code: 'key_rejected' });
    expect(house.requests.map(({ path }) => path)).toEqual([
      '/responses',
      '/chat/completions',
      '/responses',
      '/chat/completions',
    ]);
  });
});

test('sends strict servers alternating questions and answers', async () => {
  const house = await provider(({ path }) => (path === '/responses' ? json({}, 404) : hello));
  const turns = ['One?', 'Two?'].map((text) => ({ role: 'user' as const, text }));
  await (await asking(house.url))({ turns });
  expect(house.requests.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'One?\n\nTwo?' }]);
});

describe('first token', () => {
  const times = {
    beginsMs: 150,
    silentMs: 150,
    wholeMs: 150,
    storeMs: 150,
    containerFileMs: 150,
    answerMs: 9_000,
    backgroundMs: 9_000,
  };
  /** Stays silent for a while, and again between the first event and the first text. */
  const slow = (response: ServerResponse, words: string) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event('response.created', { response: {} }));
      setTimeout(() => response.end(words), 400);
    }, 400);
    return undefined;
  };

  test('may take as long as the operator allows', async () => {
    const words = event('response.output_text.delta', { delta: 'Hello' }) + completed();
    const house = await provider((_asked, response) => slow(response, words));
    const ask = await asking(house.url, { ...times, firstTokenMs: 60_000 });
    expect((await ask()).text).toBe('Hello');
  });

  test('is given up if it never comes', async () => {
    const house = await provider(() => undefined);
    const ask = await asking(house.url, { ...times, firstTokenMs: 150 });
    await expect(ask()).rejects.toMatchObject({ code: 'provider_timeout' });
  });

  test('does not extend the wait in the middle of an answer', async () => {
    const house = await provider((_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event('response.output_text.delta', { delta: 'Hello' }));
      return undefined;
    });
    const ask = await asking(house.url, { ...times, firstTokenMs: 60_000 });
    await expect(ask()).rejects.toMatchObject({ code: 'provider_timeout' });
  });
});

describe('model list', () => {
  const one = [{ id: 'm1', shutdownDate: null, chats: null }];
  test.each<[string, Reply, unknown[]]>([
    ['in its envelope', json({ object: 'list', data: [{ id: 'm1' }] }), one],
    ['without one', json([{ id: 'm1' }]), one],
    ['in another one', json({ models: [{ name: 'm1', size: 3 }] }), one],
    ['of names', json({ data: ['m1'] }), one],
    [
      'with odd entries',
      json({ data: [null, 7, { id: 5 }, { id: '' }, { id: 'm1', type: 3, capabilities: { completion_chat: 'yes' } }] }),
      one,
    ],
    ['with a model twice', json({ data: [{ id: 'm1' }, { id: 'm1' }] }), one],
    ['that is null', json(null), []],
    ['whose data is null', json({ data: null }), []],
    ['that is empty', json({ data: [] }), []],
    ['of 8 MiB', json({ data: [{ id: 'm1', description: 'x'.repeat(8 * 1024 * 1024) }] }), one],
  ])('reads %s', async (_how, reply, models) => {
    const { url } = await provider(() => reply);
    const http = createProviderHttp(url);
    onTestFinished(async () => void (await http.close()));
    expect(await providerLists(http, 'The house').models(key, 5_000)).toEqual(
      models.map((model) => expect.objectContaining(model)),
    );
  });

  test.each<[string, Reply, string]>([
    ['that is a page', page, 'could not be read'],
    ['that is something else', json({ status: 'ok' }), 'list of models could not be read'],
    ['without one name', json({ data: [7, null] }), 'list of models could not be read'],
    ['that is an error with 200', json({ error: { message: 'Out of credits', code: 402 } }), 'Out of credits'],
  ])('reports %s', async (_how, reply, words) => {
    const { url } = await provider(() => reply);
    const http = createProviderHttp(url);
    onTestFinished(async () => void (await http.close()));
    await expect(providerLists(http, 'The house').models(key, 5_000)).rejects.toThrow(words);
  });
});

describe('key check', () => {
  test.each<[string, Reply, string]>([
    [
      'refused by Gemini',
      json(
        [
          {
            error: {
              code: 400,
              message: 'API key not valid. Please pass a valid API key.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
        400,
      ),
      'rejected',
    ],
    [
      'refused by xAI',
      json({ code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***' }, 400),
      'rejected',
    ],
    ['refused with 403', json({ error: { message: 'Invalid API key' } }, 403), 'rejected'],
    ['refused with 200', json({ error: { message: 'Invalid API key', code: 401 } }), 'rejected'],
    ['refused with 401', json({ detail: 'Unauthorized' }, 401), 'rejected'],
    ['without credit', json({ error: 'Insufficient Balance' }, 402), 'limited'],
    ['that may not list models', json({ error: { message: 'Missing scopes: api.model.read' } }, 403), 'limited'],
    ['of a provider without a list', json({ detail: 'Not Found' }, 404), 'limited'],
    ['of a provider that fails', json({}, 500), 'unreachable'],
    ['that is good', json({ data: [] }), 'works'],
  ])('%s', async (_how, reply, result) => {
    const { url } = await provider(() => reply);
    const http = createProviderHttp(url);
    onTestFinished(async () => void (await http.close()));
    expect((await keyChecker(http, 'The house')(key)).result).toBe(result);
  });
});
