import { describe, expect, test } from 'vitest';
import { parseDescription } from './document.ts';
import { readDescription } from './read.ts';
import { createReadWorker } from './read-worker-client.ts';

type Json = Record<string, unknown>;

const order = { descriptionUrl: null, baseUrl: null, secret: null };
const read = (paths: unknown, more: Json = {}) =>
  readDescription({ openapi: '3.1.0', servers: [{ url: 'https://example.org/api' }], paths, ...more }, order);
const ofBody = (schema: unknown, more: Json = {}) =>
  read({ '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } }, more);
const reasons = ({ leftOut }: ReturnType<typeof read>) => leftOut.map(({ reason }) => reason);
const bodyOf = ({ tools: [tool] }: ReturnType<typeof read>) => JSON.parse(tool?.inputSchema ?? '{}').properties?.body;

const nested = (levels: number): Json => (levels === 0 ? {} : { properties: { a: nested(levels - 1) } });

describe('a description', () => {
  test('takes the first 500 of 10,000 operations, with no name twice', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`/a${at}`, { get: { operationId: 'the same' } }]),
    );
    const { tools, isCut } = read(paths);
    expect([tools.length, new Set(tools.map(({ name }) => name)).size, isCut]).toEqual([500, 500, true]);
    expect(tools.slice(0, 2).map(({ name }) => name)).toEqual(['the_same', 'the_same_2']);
  });

  test('stops after 2,000 operations if all of them are wrong', () => {
    const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/a${at}`, { get: 7 }]));
    expect(read(paths)).toMatchObject({ tools: [], leftOutCount: 2_000, isCut: true });
  });

  test('is read if its references lead in circles, to nothing or elsewhere', () => {
    const ref = (to: string) => ({ $ref: to });
    const schemas = { A: ref('#/components/schemas/B'), B: { properties: { a: ref('#/components/schemas/A') } } };
    expect(bodyOf(ofBody(ref('#/components/schemas/A'), { components: { schemas } }))).toEqual({
      properties: { a: { description: 'Once more what A is.' } },
    });
    expect(reasons(ofBody(ref('https://example.org/schema.json')))).toEqual([
      'it refers to another document, which Roster does not fetch',
    ]);
    expect(reasons(ofBody(ref('#/nowhere')))).toEqual(['it refers to something that does not exist: #/nowhere']);
    expect(reasons(ofBody(ref('#/constructor/name')))).toHaveLength(1);
    expect(reasons(read({ '/a': ref('#/paths/~1a') }))).toEqual(['its references are circular']);
  });

  test('leaves out operations with endless, deep or large schemas', () => {
    const four = ($ref: string) => ({ allOf: Array.from({ length: 4 }, () => ({ $ref })) });
    const growing = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`d${at}`, four(`#/$defs/d${at + 1}`)]));
    const definitions = { $defs: { ...growing, d9: {} } };
    expect(reasons(ofBody({ $ref: '#/$defs/d0' }, definitions))).toEqual([
      'its arguments are larger than Roster accepts',
    ]);
    expect(reasons(ofBody(nested(160)))).toEqual(['its arguments are nested deeper than Roster accepts']);
    expect(bodyOf(ofBody(nested(10)))).toEqual(nested(10));
    expect(reasons(ofBody({ enum: ['x'.repeat(300_000)] }))).toEqual(['its arguments are larger than Roster accepts']);
    expect(reasons(ofBody({ default: JSON.parse(`${'['.repeat(160)}${']'.repeat(160)}`) }))).toEqual([
      'its arguments are nested deeper than Roster accepts',
    ]);
  });

  test('leaves out the rest after spending the limits of all', () => {
    const names = Array.from({ length: 3_900 }, (_, at) => `a-name-that-takes-its-place-${at}`);
    const schema = { properties: Object.fromEntries(names.map((name) => [name, {}])) };
    const post = { requestBody: { content: { 'application/json': { schema } } } };
    const paths = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`/a${at}`, { post }]));
    expect(reasons(read(paths)).at(-1)).toBe('the whole description is larger than Roster accepts');
  });

  test('reads names of JavaScript and half characters as they are written', () => {
    const text = `{"openapi": "3.1.0", "servers": [{"url": "https://example.org"}], "paths": {"/__proto__/{__proto__}": {
      "parameters": [{"name": "__proto__", "in": "path", "required": true, "description": "Half \\ud800"},
        {"name": "constructor", "in": "query"}],
      "post": {"operationId": "__proto__", "summary": "Nul \\u0000 and \\ud800", "requestBody": {"content": {"application/json":
        {"schema": {"properties": {"__proto__": {"type": "string"}, "toString": {"type": "string"}}}}}}}}}}`;
    const { tools } = readDescription(parseDescription(text), order);
    expect(tools).toMatchObject([{ name: 'proto', title: 'Nul  and \ufffd' }]);
    const { properties } = JSON.parse(tools[0]?.inputSchema ?? '');
    expect(Object.keys(properties)).toEqual(['proto', 'constructor', 'body']);
    expect(Object.keys(properties.body.properties)).toEqual(['__proto__', 'toString']);
    expect(Object.prototype).not.toHaveProperty('type');
  });

  test.each([
    'a',
    '/a?b',
    '/a#b',
    '/a/../b',
    '/%2E%2e/b',
    '/a\\b',
    '/a b',
    `/${'x'.repeat(1_000)}`,
    '/a/{b}',
    '//\ud800',
  ])('makes no tool of the path %s', (path) => {
    expect(read({ [path]: { get: {} } })).toMatchObject({ tools: [], leftOutCount: 1 });
  });

  test.each([
    [{ name: 'a', in: 'query', style: 'matrix' }, 'one of its parameters has an unknown style'],
    [{ name: 'a', in: 'header', style: 'form' }, 'one of its parameters has an unknown style'],
    [{ name: 'a', in: 'query', content: { 'text/xml': {} } }, 'one of its parameters has a form other than JSON'],
    [{ name: 'a', in: 'cookie', required: true }, 'it needs a cookie'],
    [{ name: 'a b', in: 'header' }, 'it needs a header with an invalid name'],
    [{ name: 'x'.repeat(300), in: 'query' }, 'one of its parameters cannot be read'],
    [7, 'one of its parameters cannot be read'],
  ])('says why it makes no tool of the parameter %j', (parameter, reason) => {
    expect(reasons(read({ '/a': { get: { parameters: [parameter] } } }))).toEqual([reason]);
  });

  test('has the limits and flags of 3.0 as JSON Schema has them', () => {
    const schema = {
      allOf: [{ type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }],
      nullable: true,
      xml: {},
      discriminator: {},
    };
    expect(bodyOf(ofBody(schema))).toEqual({
      anyOf: [{ allOf: [{ type: 'integer', exclusiveMinimum: 1, maximum: 9 }] }, { type: 'null' }],
    });
    expect(bodyOf(ofBody({ type: 'string', enum: ['a'], nullable: true }))).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    });
  });

  test('leaves out operations at another address unless a user wants all at one', () => {
    const paths = { '/a': { servers: [{ url: 'https://evil.example' }], get: {} }, '/b': { get: {} } };
    expect(read(paths)).toMatchObject({
      tools: [{ title: 'get_b' }],
      leftOut: [{ reason: 'it has its own base URL' }],
    });
    const document = { openapi: '3.1.0', paths };
    expect(readDescription(document, { ...order, baseUrl: 'https://example.org' }).tools).toHaveLength(2);
    const descriptionUrl = 'https://example.org/docs/openapi.json';
    expect(readDescription({ ...document, servers: [{ url: '../v2' }] }, { ...order, descriptionUrl }).url).toBe(
      'https://example.org/v2',
    );
  });
});

describe('a text made to be slow', () => {
  const anchors = Array.from({ length: 30 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}]`).slice(1);
  const bomb = `openapi: 3.1.0\na0: &a0 x\n${anchors.join('\n')}`;
  const asEnum = `a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
openapi: 3.1.0
servers: [{url: 'https://example.org'}]
paths: {/a: {post: {requestBody: {content: {application/json: {schema: {enum: *d}}}}}}}
`;

  test.each([
    ['a bomb of aliases', bomb],
    ['brackets', '['.repeat(100_000)],
    ['deep JSON', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['many aliases', `a: &a [x]\n${'b: *a\n'.repeat(100_000)}`],
  ])('is refused like %s, while everything else continues', async (_what, text) => {
    const thread = createReadWorker({ withinMs: 3_000 });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await expect(thread.read({ ...order, text })).rejects.toMatchObject({ name: 'UnreadableDocumentError' });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    await thread.close();
  });

  test('is limited if an alias stands for much', async () => {
    const thread = createReadWorker();
    const { tools, leftOut } = await thread.read({ ...order, text: asEnum });
    expect([tools, leftOut.map(({ reason }) => reason)]).toEqual([
      [],
      ['its arguments are larger than Roster accepts'],
    ]);
    await thread.close();
  });

  test('is no longer read once Roster stops', async () => {
    const thread = createReadWorker();
    const reading = thread.read({ ...order, text: '['.repeat(500_000) });
    const refused = expect(reading).rejects.toThrow('Roster is stopping');
    await thread.close();
    await refused;
    await expect(thread.read({ ...order, text: '{}' })).rejects.toThrow('Roster is stopping');
  });
});
