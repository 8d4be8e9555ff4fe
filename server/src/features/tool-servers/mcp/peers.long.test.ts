import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { argumentsOf } from '#server/features/chat/runs/tools/tool-plan';
import { parseAllowedHosts } from '#server/outbound/allowed-hosts';
import { createSsrfGuard } from '#server/outbound/ssrf-guard';
import { listening, startToolServer, type ToolPeer } from '#server/testing/tool-peer';
import { resultText } from './result.ts';
import { mcpClient } from './session.ts';
import { listTools } from './tools.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// Load the SDK before any time limit applies.
beforeAll(async () => {
  const { url, close } = await startToolServer();
  await client().inSession({ url, credentials: {} }, bounds, listTools);
  await close();
});

function client() {
  const outgoing = createSsrfGuard({ allowed: parseAllowedHosts('127.0.0.1') });
  const mcp = mcpClient(outgoing, { endMs: 200 });
  closing.push(
    () => outgoing.close(),
    () => mcp.close(),
  );
  return mcp;
}
const bounds = { withinMs: 60_000, bodyLimit: 2 * 1024 * 1024, signal: new AbortController().signal };
const call = (url: string, more: Partial<typeof bounds> = {}) =>
  client().inSession({ url, credentials: {} }, { ...bounds, ...more }, async (ask) =>
    resultText(await ask('tools/call', { name: 'write_note', arguments: {} })),
  );
const late = /did not answer in time/;
const list = (url: string) => client().inSession({ url, credentials: {} }, bounds, listTools);

async function peerWith(given: Partial<ToolPeer>) {
  const server = await startToolServer(given);
  closing.push(server.close);
  return server;
}

type Message = { id?: number; method: string };
const json = (response: ServerResponse, value: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };

/** Connects correctly, then does what the test wants. `texts`: what it was sent. */
async function liar(answer: (message: Message, response: ServerResponse) => unknown) {
  const seen: string[] = [];
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.on('error', () => undefined);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const text = Buffer.concat(chunks).toString();
    const message: Message = JSON.parse(text);
    seen.push(message.method);
    texts.push(text);
    if (message.method === 'initialize') return json(response, { jsonrpc: '2.0', id: message.id, result: hello });
    if (message.id === undefined) return response.writeHead(202).end();
    return answer(message, response);
  });
  const port = await listening(server);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, seen, texts };
}

const sse = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (value: unknown) => `event: message\ndata: ${JSON.stringify(value)}\n\n`;

describe('a tool server that', () => {
  const ways: [string, (message: Message, response: ServerResponse) => unknown, RegExp][] = [
    ['says nothing', () => undefined, late],
    ['begins a stream and says nothing', (_m, r) => sse(r).flushHeaders(), late],
    [
      'sends comments without end',
      (_m, r) => {
        sse(r);
        const timer = setInterval(() => r.write(': still here\n\n'), 20);
        r.on('close', () => clearInterval(timer));
      },
      late,
    ],
    [
      'ends a stream without an answer',
      (_m, r) => sse(r).end(event({ jsonrpc: '2.0', method: 'x' })),
      /without a result/,
    ],
    ['breaks a stream off', (_m, r) => sse(r).write('data: {', () => r.destroy()), /closed the connection/],
    [
      'answers another question',
      ({ id }, r) => json(r, { jsonrpc: '2.0', id: Number(id) + 1, result: {} }),
      /valid MCP/,
    ],
    ['answers with JSON of its own', (_m, r) => json(r, { hello: 'world' }), /valid MCP/],
    ['answers with a number', (_m, r) => json(r, 7), /valid MCP/],
    [
      'answers with thousands of messages',
      ({ id }, r) =>
        json(
          r,
          Array.from({ length: 9_999 }, () => ({ jsonrpc: '2.0', id, result: {} })),
        ),
      /valid MCP/,
    ],
    [
      'answers with no JSON',
      (_m, r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "2.0", '),
      /valid MCP/,
    ],
    ['answers with HTML', (_m, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'), /valid MCP/],
    ['answers with nothing', (_m, r) => r.writeHead(204).end(), /valid MCP/],
    ['only accepts', (_m, r) => r.writeHead(202).end(), /valid MCP/],
    [
      'answers with 100 MB',
      (_m, r) => endless(r.writeHead(200, { 'content-type': 'application/json' })),
      /more than 2048 KB/,
    ],
    ['streams 100 MB', (_m, r) => endless(sse(r)), /more than 2048 KB/],
    [
      'announces more than it sends',
      (_m, r) => {
        r.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        r.write('{}', () => r.destroy());
      },
      /closed the connection/,
    ],
    ['fails', (_m, r) => r.writeHead(500).end('<h1>Oh</h1>'), /returned an error \(500\)/],
    ['has no result', ({ id }, r) => json(r, { jsonrpc: '2.0', id, result: 'yes' }), /valid MCP|says/],
  ];
  test.each(ways)('%s: is given up, and may have been called', async (_what, answer, message) => {
    const { url, seen } = await liar(answer);
    await expect(call(url, message === late ? { withinMs: 5_000 } : {})).rejects.toMatchObject({
      name: 'ToolServerError',
      message: expect.stringMatching(message),
      mayHaveRun: true,
    });
    expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  const refusals: [string, (message: Message, response: ServerResponse) => unknown, RegExp][] = [
    ['wants a sign-in', (_m, r) => r.writeHead(401).end(), /requires authentication/],
    ['refuses', (_m, r) => r.writeHead(403).end(), /denied access/],
    ['has forgotten the session', (_m, r) => r.writeHead(404).end(), /no MCP server/],
    ['has too much to do', (_m, r) => r.writeHead(429).end(), /limiting requests/],
    [
      'sends elsewhere',
      (_m, r) => r.writeHead(307, { location: 'http://127.0.0.2/' }).end(),
      /redirects to another URL/,
    ],
    [
      'sends inside',
      (_m, r) => r.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      /redirects to another URL/,
    ],
    [
      'says what was wrong',
      ({ id }, r) =>
        json(r, { jsonrpc: '2.0', id, error: { code: -32602, message: `Bad\narguments ${'x'.repeat(999)}` } }),
      /^The server says: Bad arguments x+…$/,
    ],
  ];
  test.each(refusals)('%s: has not run the call', async (_what, answer, message) => {
    const { url, seen } = await liar(answer);
    await expect(call(url)).rejects.toMatchObject({ message: expect.stringMatching(message), mayHaveRun: false });
    expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  const codes = [-1, 0, 1, 100, 401, 403, 404, 429, 500, 503, -32_000, -32_001, -32_602, -32_603];
  test.each(codes)('answers with JSON-RPC error %i: quotes it, without the secret that it repeats', async (code) => {
    const secret = 'Bearer planted-in-a-message';
    const { url, seen } = await liar(({ id }, r) =>
      json(r, { jsonrpc: '2.0', id, error: { code, message: `No such note for ${secret}` } }),
    );
    const calling = client().inSession({ url, credentials: { authorization: secret } }, bounds, (ask) =>
      ask('tools/call', { name: 'x', arguments: {} }),
    );
    await expect(calling).rejects.toMatchObject({
      message: 'The server says: No such note for [secret]',
      mayHaveRun: false,
      status: undefined,
    });
    expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  test('refuses by HTTP in its own words: quotes them', async () => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Bad Request: unknown tenant' } };
    const { url } = await liar((_m, r) =>
      r.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal)),
    );
    await expect(call(url)).rejects.toMatchObject({
      message: 'The server rejected the request (400). The server says: Bad Request: unknown tenant',
      mayHaveRun: false,
      status: 400,
    });
  });

  test('speaks an unknown version: says so', async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { id } = JSON.parse(Buffer.concat(chunks).toString());
      json(response, { jsonrpc: '2.0', id, result: { ...hello, protocolVersion: '2031-01-01' } });
    });
    const port = await listening(server);
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    await expect(list(`http://127.0.0.1:${port}/mcp`)).rejects.toMatchObject({
      name: 'ToolServerError',
      message:
        'The server speaks the version 2031-01-01 of MCP, which Roster does not know. Update the server, or Roster.',
    });
  });

  test('receives numbers in the digits of the model', async () => {
    const { url, texts } = await liar(({ id }, response) =>
      json(response, { jsonrpc: '2.0', id, result: { content: [] } }),
    );
    const input = '{"id":9007199254740993,"list":[1.0,-0,1e400,{"a":0.1000000000000000055}]}';
    const given = argumentsOf(input);
    await client().inSession({ url, credentials: {} }, bounds, (ask) =>
      ask('tools/call', { name: 'x', arguments: given }),
    );
    expect(texts.at(-1)).toContain(`"arguments":${input}`);
  });

  test.each(['one body', 'a stream'])('keeps the digits of numbers in a structure, in %s', async (form) => {
    const structure = '{"id":9007199254740993,"list":[1.0,-0,1e400,{"a":0.1000000000000000055}]}';
    const { url } = await liar(({ id }, response) => {
      const text = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${structure}}}`;
      if (form === 'a stream') sse(response).end(`data: ${text}\n\n`);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
    expect(await call(url)).toEqual({ text: structure, isError: false });
  });

  test('repeats a secret in its result: hides it from the model', async () => {
    const { url } = await liar(({ id }, response) => {
      const content = [{ type: 'text', text: 'You sent Bearer planted-in-a-result, or planted-in-a-result.' }];
      json(response, { jsonrpc: '2.0', id, result: { content } });
    });
    const credentials = { authorization: 'Bearer planted-in-a-result' };
    const result = await client().inSession({ url, credentials }, bounds, async (ask, secrets) =>
      resultText(await ask('tools/call', { name: 'x', arguments: {} }), secrets),
    );
    expect(result.text).toBe('You sent [secret], or [secret].');
  });

  test('continues after its answer: is ignored', async () => {
    const { url } = await liar(({ id }, response) => {
      sse(response).write(event({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }));
      const timer = setInterval(() => response.write(event({ jsonrpc: '2.0', method: 'notifications/message' })), 5);
      response.on('close', () => clearInterval(timer));
      onTestFinished(() => clearInterval(timer));
    });
    expect(await call(url)).toEqual({ text: 'done', isError: false });
  });

  test('asks for another tool, or for a model: gets nothing', async () => {
    const { url, seen } = await liar(({ id }, response) => {
      const asks = [
        { jsonrpc: '2.0', id: 77, method: 'sampling/createMessage', params: { messages: [], maxTokens: 9 } },
        { jsonrpc: '2.0', id: 78, method: 'tools/call', params: { name: 'delete_all', arguments: {} } },
      ];
      sse(response).write(asks.map(event).join(''));
      setTimeout(() => response.end(event({ jsonrpc: '2.0', id, result: { content: [] } })), 50);
    });
    expect(await call(url)).toEqual({ text: '', isError: false });
    expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  test('forgets a session: is connected again, once, before a tool is called', async () => {
    const forgetful = await peerWith({ forgetOnce: true });
    expect((await list(forgetful.url)).tools).toHaveLength(2);
    forgetful.peer.forgetOnce = true;
    expect(await call(forgetful.url)).toMatchObject({ isError: false });
    expect(forgetful.calls).toHaveLength(1);
  });

  test('gives the same page again and again: is left', async () => {
    const { url, seen } = await liar(({ id }, response) =>
      json(response, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: 'again' },
      }),
    );
    expect((await list(url)).tools).toMatchObject([{ name: 'a' }]);
    expect(seen.filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  test('ends its pages with an empty cursor: is believed', async () => {
    const { url, seen } = await liar(({ id }, response) =>
      json(response, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: '' },
      }),
    );
    expect(await list(url)).toMatchObject({ tools: [{ name: 'a' }], notice: null });
    expect(seen.filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  test('lists a million things: is not read to the end', async () => {
    const { url } = await liar(({ id }, response) =>
      json(response, { jsonrpc: '2.0', id, result: { tools: Array(1_000_000).fill(0) } }),
    );
    expect(await list(url)).toEqual({
      tools: [],
      leftOut: expect.any(Array),
      leftOutCount: 2_000,
      notice: 'It has more tools than Roster accepts; only the first 0 are listed.',
    });
  });

  test('is stopped: fails the callers that wait for it', async () => {
    const caller = new AbortController();
    const { url, seen } = await liar(() => caller.abort(new Error('stopped')));
    await expect(call(url, { signal: caller.signal })).rejects.toMatchObject({ mayHaveRun: true });
    expect(seen).toContain('tools/call');
  });
});

function endless(response: ServerResponse) {
  const piece = `data: ${'x'.repeat(64 * 1024)}\n\n`;
  Readable.from(Array.from({ length: 1_600 }, () => piece)).pipe(response);
}
