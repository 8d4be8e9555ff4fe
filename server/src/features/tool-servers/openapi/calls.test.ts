import { createServer, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseExact } from '#server/lib/exact-json';
import { parseAllowedHosts } from '#server/outbound/allowed-hosts';
import { createSsrfGuard } from '#server/outbound/ssrf-guard';
import { type DescribedService, startDescribedService } from '#server/testing/described-service';
import { listening } from '#server/testing/tool-peer';
import { openApiClient, type Secret } from './client.ts';
import { Operation } from './operation.ts';
import { readDescription } from './read.ts';

type Json = Record<string, unknown>;

const outgoing = createSsrfGuard({ allowed: parseAllowedHosts('127.0.0.1') });
const client = openApiClient(outgoing);
let service: DescribedService;
let usual: DescribedService['answer'];
beforeAll(async () => {
  service = await startDescribedService();
  usual = service.answer;
});
afterEach(() => {
  service.answer = usual;
});
afterAll(async () => {
  await outgoing.close();
  await service.close();
});

const order = { descriptionUrl: null, baseUrl: null, secret: null };
const toolIn = (document: unknown, name: string) => {
  const tool = readDescription(document, order).tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no ${name}`);
  return tool;
};

type More = { document?: Json; secret?: Secret; url?: string; signal?: AbortSignal; withinMs?: number };
function call(name: string, input: Json, { document = service.description, secret, url, signal, withinMs }: More = {}) {
  const tool = toolIn(document, name);
  const operation = Operation.parse(JSON.parse(tool.operation ?? ''));
  const inputSchema = JSON.parse(tool.inputSchema);
  const target = { url: url ?? `${service.url}/v1`, secret: secret ?? null, operation, inputSchema };
  return client.call(target, input, { withinMs: withinMs ?? 60_000, signal: signal ?? new AbortController().signal });
}
/** The request that arrived. */
async function sent(name: string, input: Json, more?: More) {
  const before = service.seen.length;
  const result = await call(name, input, more);
  expect(result).toMatchObject({ isError: false });
  expect(service.seen).toHaveLength(before + 1);
  return service.seen[before];
}
const one = (path: string, parameters: Json[], method = 'get') => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://example.org' }],
  paths: { [path]: { [method]: { operationId: 'it', parameters } } },
});

describe('a call', () => {
  test('puts every argument where its description wants it', async () => {
    const input = {
      tags: ['a b', 'ü&='],
      ids: [1, 2],
      filter: { state: 'open', 'a]b': 1 },
      limit: 5,
      'X-Trace': 'abc',
    };
    const request = await sent('listNotes', input);
    expect(request?.method).toBe('GET');
    expect(request?.url).toBe(
      '/v1/notes?tags=a%20b&tags=%C3%BC%26%3D&ids=1,2&filter%5Bstate%5D=open&filter%5Ba%5Db%5D=1&limit=5',
    );
    expect(request?.headers).toMatchObject({ 'x-trace': 'abc', 'user-agent': 'Roster' });
    const written = await sent('writeNote', { body: { text: 'Buy milk \ud800', due: null } });
    expect([written?.method, written?.url, written?.headers['content-type'], written?.body]).toEqual([
      'POST',
      '/v1/notes',
      'application/json',
      '{"text":"Buy milk \\ud800","due":null}',
    ]);
    expect(await sent('deleteNote', { noteId: 'a/b?c#d %2e\ud800' })).toMatchObject({
      method: 'DELETE',
      url: '/v1/notes/a%2Fb%3Fc%23d%20%252e%EF%BF%BD',
      body: '',
    });
  });

  test.each([
    ['form', undefined, { a: 1, b: 'c,d' }, 'a=1&b=c%2Cd'],
    ['form', false, { a: 1, b: 2 }, 'q=a,1,b,2'],
    ['spaceDelimited', false, ['a', 'b'], 'q=a%20b'],
    ['pipeDelimited', false, ['a', 'b'], 'q=a%7Cb'],
    ['form', undefined, [{ a: 1 }], 'q=%7B%22a%22%3A1%7D'],
    ['form', undefined, true, 'q=true'],
  ])('writes a query of style %s, explode %s', async (style, explode, value, query) => {
    const parameter = { name: 'q', in: 'query', style, ...(explode !== undefined && { explode }) };
    expect((await sent('it', { q: value }, { document: one('/x', [parameter]) }))?.url).toBe(`/v1/x?${query}`);
  });

  test.each(['9007199254740993', '1.0', '-0', '1e400', '0.1000000000000000055'])(
    'sends the number %s in its digits, in path, query, header and body',
    async (number) => {
      const schema = { type: 'number' };
      const list = { type: 'array', items: schema };
      const document = {
        openapi: '3.1.0',
        servers: [{ url: 'https://example.org' }],
        paths: {
          '/x/{id}': {
            post: {
              operationId: 'it',
              parameters: [
                { name: 'id', in: 'path', required: true, schema },
                { name: 'one', in: 'query', schema },
                { name: 'some', in: 'query', explode: false, schema: list },
                { name: 'deep', in: 'query', style: 'deepObject', schema: { type: 'object' } },
                { name: 'x-number', in: 'header', schema },
              ],
              requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
            },
          },
        },
      };
      const input = `{"id":${number},"one":${number},"some":[${number}],"deep":{"a":${number}},"x-number":${number},"body":{"b":[${number}]}}`;
      const request = await sent('it', parseExact(input) as Json, { document });
      expect(request?.url).toBe(`/v1/x/${number}?one=${number}&some=${number}&deep%5Ba%5D=${number}`);
      expect([request?.headers['x-number'], request?.body]).toEqual([number, `{"b":[${number}]}`]);
    },
  );

  test('accepts whole numbers of any size, and nothing else, for integers', async () => {
    const document = one('/x', [{ name: 'n', in: 'query', schema: { type: 'integer' } }]);
    for (const number of ['9007199254740993', '1e400', '2.0'])
      expect((await sent('it', parseExact(`{"n":${number}}`) as Json, { document }))?.url).toBe(`/v1/x?n=${number}`);
    for (const number of ['9007199254740993.5', '1e-400', '"1"'])
      expect(await call('it', parseExact(`{"n":${number}}`) as Json, { document })).toMatchObject({
        isError: true,
        text: expect.stringContaining('n has to be integer'),
      });
  });

  test.each(['..', '.', '../../admin', 'a/../b', '..\\b', '..;x', ''])(
    'never leaves its path by “%s”',
    async (noteId) => {
      const before = service.seen.length;
      expect(await call('readNote', { noteId })).toMatchObject({ isError: true });
      expect(service.seen).toHaveLength(before);
    },
  );

  test('keeps its path when two places make one step together', async () => {
    const places = ['a', 'b'].map((name) => ({ name, in: 'path', required: true }));
    const result = await call('it', { a: '.', b: '.' }, { document: one('/x/{a}{b}/y', places) });
    expect(result).toMatchObject({ isError: true });
  });

  test.each([
    ['missing', {}, 'noteId is missing'],
    ['of another type', { noteId: 7 }, 'noteId has to be string'],
    ['not known', { noteId: 'a', extra: 1 }, 'extra is not known, only noteId'],
  ])('is refused with a reason if an argument is %s', async (_what, input, message) => {
    const before = service.seen.length;
    const result = await call('readNote', input);
    expect(result).toEqual({ isError: true, text: `The arguments are invalid, so nothing was called: ${message}.` });
    expect(service.seen).toHaveLength(before);
  });

  test('checks the body, too, and refuses a header that is two', async () => {
    expect((await call('writeNote', { body: { text: 7 } })).text).toContain('body.text has to be string');
    expect((await call('writeNote', { body: {} })).text).toContain('body.text is missing');
    expect((await call('listNotes', { 'X-Trace': 'a\r\nhost: b' })).text).toContain('cannot have');
  });
});

describe('the secret', () => {
  const value = 'planted secret/4321';
  const inQuery: Secret = { in: 'query', name: 'limit', value };
  const inHeader: Secret = { in: 'header', name: 'X-Trace', value: `Bearer ${value}` };

  test('is in the query or the header, whatever the arguments say', async () => {
    expect((await sent('listNotes', { limit: 1, ids: [2] }, { secret: inQuery }))?.url).toBe(
      '/v1/notes?ids=2&limit=planted%20secret%2F4321',
    );
    const request = await sent('listNotes', { 'X-Trace': 'mine' }, { secret: inHeader });
    expect(request?.headers['x-trace']).toBe(`Bearer ${value}`);
  });

  test('is masked in any answer, however the service returns it', async () => {
    service.answer = ({ url, headers }, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify({ url, headers, plain: value, form: new URLSearchParams({ value }).toString() }));
    for (const secret of [inQuery, inHeader]) {
      const { text, isError } = await call('listNotes', {}, { secret });
      expect(isError).toBe(true);
      expect(text).toContain('[secret]');
      expect(text).not.toMatch(/planted.{1,3}secret/);
    }
  });

  test('follows a redirect within its origin, and none to another', async () => {
    const other = await startDescribedService();
    service.answer = ({ url }, response) =>
      url.startsWith('/moved')
        ? response.end('there')
        : response.writeHead(302, { location: url.includes('ids') ? `${other.url}/moved` : '/moved?a=b' }).end();
    expect(await call('listNotes', {}, { secret: inQuery })).toEqual({ text: 'HTTP 200\n\nthere', isError: false });
    expect(service.seen.at(-1)?.url).toBe('/moved?a=b&limit=planted%20secret%2F4321');
    await expect(call('listNotes', { ids: [1] }, { secret: inHeader })).rejects.toThrow(/another address/);
    expect(other.seen).toEqual([]);
    service.answer = (_seen, response) => response.writeHead(307, { location: 'https://10.0.0.1/' }).end();
    await expect(call('listNotes', {})).rejects.toThrow(/another address/);
    const before = service.seen.length;
    service.answer = (_seen, response) => response.writeHead(307, { location: '/again' }).end();
    await expect(call('writeNote', { body: { text: 'a' } })).rejects.toMatchObject({ mayHaveRun: true });
    expect(service.seen).toHaveLength(before + 1);
    await other.close();
  });
});

describe('an answer', () => {
  const given = (status: number, type: string, body: string | Buffer) => {
    service.answer = (_seen, response) => response.writeHead(status, type ? { 'content-type': type } : {}).end(body);
    return call('listNotes', {});
  };

  test('has its status and type, and mentions what is not text', async () => {
    expect(await given(200, 'application/json', '{"a": 1}')).toEqual({
      text: 'HTTP 200 application/json\n\n{"a": 1}',
      isError: false,
    });
    expect(await given(404, 'application/problem+json', '{"title":"No"}')).toEqual({
      text: 'HTTP 404 application/problem+json\n\n{"title":"No"}',
      isError: true,
    });
    expect(await given(503, 'text/html', '<script>alert(1)</script>')).toEqual({
      text: 'HTTP 503 text/html\n\n<script>alert(1)</script>',
      isError: true,
    });
    expect((await given(200, 'image/png', Buffer.alloc(2048))).text).toBe(
      'HTTP 200 image/png\n[no text, 2 KB: it cannot be given here]',
    );
    expect((await given(200, 'text/plain; charset=iso-8859-1', Buffer.from([0xfc]))).text).toContain('ü');
    expect((await given(200, 'text/plain; charset=no-such', 'a\0b')).text).toBe('HTTP 200 text/plain\n\nab');
    expect((await given(204, '', '')).text).toBe('HTTP 204');
  });

  test('is cut after a megabyte if it has no end, and says so', async () => {
    service.answer = (_seen, response) => endless(response.writeHead(200, { 'content-type': 'text/plain' }));
    const { text } = await call('listNotes', {}, { withinMs: 20_000 });
    expect(text.length).toBeLessThan(1024 * 1024 + 200);
    expect(text).toMatch(/\[Cut here: the tool has answered with more than 1 MB, and this is the first megabyte\.\]$/);
  });

  test.each<[string, DescribedService['answer'], RegExp]>([
    ['never comes', () => undefined, /did not answer in time/],
    ['stops in the middle', (_s, r) => r.writeHead(200).write('{'), /did not answer in time/],
    ['breaks off', (_s, r) => r.writeHead(200).write('{', () => r.destroy()), /closed the connection/],
    [
      'is shorter than it says',
      (_s, r) => r.writeHead(200, { 'content-length': '9' }).write('a', () => r.socket?.end()),
      /closed the connection/,
    ],
    ['is compressed', (_s, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), /compresses/],
  ])('fails if it %s, and the call may have run', async (_what, answer, message) => {
    service.answer = answer;
    await expect(call('writeNote', { body: { text: 'a' } }, { withinMs: 500 })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      mayHaveRun: true,
    });
  });

  test('is dropped once nobody waits for it, and never comes from a private host', async () => {
    const stopping = new AbortController();
    service.answer = () => stopping.abort(new Error('enough'));
    await expect(call('listNotes', {}, { signal: stopping.signal })).rejects.toThrow('The call was stopped.');
    for (const url of ['https://10.0.0.1/', 'http://169.254.169.254/', 'https://localhost.example.invalid/'])
      await expect(call('listNotes', {}, { url })).rejects.toMatchObject({
        name: 'ToolServerError',
        mayHaveRun: false,
      });
  });
});

test('reads a description only from where the guard allows, and up to 20 MB', async () => {
  const bounds = { withinMs: 240_000, signal: new AbortController().signal };
  const lying = createServer((request, response) => {
    if (request.url === '/away') return response.writeHead(302, { location: 'https://10.0.0.1/openapi.json' }).end();
    return endless(response);
  });
  const url = `http://127.0.0.1:${await listening(lying)}`;
  await expect(client.description(`${url}/away`, bounds)).rejects.toThrow(/private network/);
  await expect(client.description(`${url}/large`, bounds)).rejects.toThrow(/more than 20480 KB/);
  lying.closeAllConnections();
  lying.close();
});

function endless(response: ServerResponse) {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
  };
  response.on('drain', more);
  more();
}
