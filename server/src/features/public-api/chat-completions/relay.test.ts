import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';

const path = '/v1/chat/completions';

/** The provider's answer, byte for byte, and what it was sent. */
type Exchange = {
  type: string;
  packets: string[];
  received: string;
  /** Number of requests for answers. */
  requests: number;
  /** Refuses a request whose body contains this. */
  refuses?: string | undefined;
};

async function startBytes(exchange: Exchange) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ data: [{ id: 'gpt-4o' }] }));
    }
    exchange.requests++;
    exchange.received = Buffer.concat(chunks).toString();
    if (exchange.refuses !== undefined && exchange.received.includes(`"${exchange.refuses}"`)) {
      const message = `Unsupported parameter: '${exchange.refuses}' is not supported with this model.`;
      response.writeHead(400, { 'content-type': 'application/json' });
      return response.end(
        JSON.stringify({ error: { message, param: exchange.refuses, code: 'unsupported_parameter' } }),
      );
    }
    response.writeHead(200, { 'content-type': exchange.type });
    for (const packet of exchange.packets) {
      response.write(packet);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
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

describe.each(engines)('relay of a bare model on %s', (engine) => {
  const exchange: Exchange = { type: '', packets: [], received: '', requests: 0 };
  let provider: Awaited<ReturnType<typeof startBytes>>;
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    provider = await startBytes(exchange);
    app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url } });
    ({ token } = await newToken(await app.withKey('ada')));
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  const send = (body: string) => callApi(app, token, path, { method: 'POST', body });

  test('passes request and answer on unchanged', async () => {
    const body =
      '{ "model":"gpt-4o",\t"messages" : [{"role":"user","content":"\\u00e4 \\"x\\""}], "new_field":{"a":[1.0,2e3]} }';
    exchange.type = 'application/json';
    exchange.packets = ['{"id":"x", "unknown" : 1.50,', '"usage":{"prompt_tokens":3,"completion_tokens":1}}'];
    const { status, text } = await send(body);
    expect([status, text]).toEqual([200, exchange.packets.join('')]);
    expect(exchange.received).toBe(body);
  });

  test('passes a stream on unchanged, however it is cut into packets', async () => {
    const body =
      '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}';
    exchange.type = 'text/event-stream';
    exchange.packets = [
      'data: {"choices":[{"delta":{"content":"ä',
      '"},"x":1.0}],"usage":null}\r\n\r\n: comment\n\nda',
      'ta: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\ndata: [DONE]\n',
      '\n',
    ];
    const { text } = await send(body);
    expect(text).toBe(exchange.packets.join(''));
    expect(exchange.received).toBe(body);
    exchange.packets = [...'data: 1\r\n\r\ndata: 2\n\ndata: [DONE]\n\n'];
    expect((await send(body)).text).toBe(exchange.packets.join(''));
  });

  test('asks for a stream’s usage in a leading field, and removes only that event', async () => {
    exchange.type = 'text/event-stream';
    const [begin, usage, end] = [
      'data: {"choices":[{"delta":{"content":"A \\"usage\\":{ of words"}}],"usage":null}\n\n',
      'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n',
      'data: [DONE]\n\n',
    ];
    exchange.packets = [begin.slice(0, 20), begin.slice(20) + usage.slice(0, 9), usage.slice(9), end];
    const { text } = await send(' {"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}');
    expect(text).toBe(begin + end);
    expect(exchange.received).toBe(
      '{"stream_options":{"include_usage":true},"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}',
    );
  });

  test('drops what Roster has added if the provider refuses it, but not what the client named', async () => {
    const body = { model: 'Warm@roster', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
    exchange.packets = ['data: [DONE]\n\n'];
    const sendAsSomeone = async () => {
      const { visitor: person } = await app.someone();
      await createAssistant(person, { name: 'Warm', model: 'gpt-4o', temperature: 0.9 });
      const { token: own } = await newToken(person);
      return (more: object = {}) => callApi(app, own, path, { method: 'POST', body: { ...body, ...more } });
    };
    const people = [await sendAsSomeone(), await sendAsSomeone()];
    for (const [at, refuses] of ['temperature', 'stream_options'].entries()) {
      exchange.refuses = refuses;
      expect((await people[at]?.())?.status).toBe(200);
      const other = refuses === 'temperature' ? 'stream_options' : 'temperature';
      expect(Object.keys(JSON.parse(exchange.received)).sort()).toEqual(['messages', 'model', other, 'stream'].sort());
    }
    exchange.refuses = 'temperature';
    const response = await people[1]?.({ temperature: 0.5 });
    expect([response?.status, response?.body.error.param, response?.body.error.code]).toEqual([
      400,
      'temperature',
      'unsupported_parameter',
    ]);
    exchange.refuses = undefined;
  });

  test('remembers refusals for one key only', async () => {
    const body = { model: 'Mild@roster', messages: [{ role: 'user', content: 'Hi' }] };
    exchange.type = 'application/json';
    exchange.packets = [JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })];
    exchange.refuses = 'temperature';
    const left = 'The temperature was left out: gpt-4o does not accept it.';
    const sendAsSomeone = async () => {
      const { visitor: person } = await app.someone();
      await createAssistant(person, { name: 'Mild', model: 'gpt-4o', temperature: 0.9 });
      const { token: own } = await newToken(person);
      return async (more: object = {}) => {
        exchange.requests = 0;
        const { status, headers } = await callApi(app, own, path, { method: 'POST', body: { ...body, ...more } });
        return [status, exchange.requests, headers['x-roster-note']];
      };
    };
    const [dora, emil] = [await sendAsSomeone(), await sendAsSomeone()];
    expect(await dora()).toEqual([200, 2, left]);
    // The setting is still reported as left out, but the provider is asked once.
    expect(await dora()).toEqual([200, 1, left]);
    expect(await dora({ temperature: 0.2 })).toEqual([400, 1, undefined]);
    expect(await emil()).toEqual([200, 2, left]);
    expect(await dora({ model: 'gpt-4o' })).toEqual([200, 1, undefined]);
    exchange.refuses = undefined;
  });

  test('accepts unreadable events and empty usage unchanged', async () => {
    exchange.type = 'text/event-stream';
    exchange.packets = [
      'data: {"usage":{"broken\n\n',
      'data: {"usage":{"prompt_tokens":"many"}}\n\n',
      'data: {"choices":[{"finish_reason": "stop"}]}\n\n',
      'no event at all',
    ];
    const { status, text } = await send('{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}');
    expect([status, text]).toEqual([200, exchange.packets.join('')]);
  });
});
