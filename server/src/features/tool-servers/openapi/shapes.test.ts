import { describe, expect, test } from 'vitest';
import { parseDescription } from './document.ts';
import { Operation } from './operation.ts';
import { readDescription } from './read.ts';
import { requestOf } from './request.ts';

const order = { descriptionUrl: null, baseUrl: null, secret: null };
const base = { openapi: '3.0.3', servers: [{ url: 'https://example.org/api' }] };

/** The request that a call of the description's first operation makes. */
function sentBy(document: unknown, input: Record<string, unknown>, descriptionUrl: string | null = null) {
  const { tools, url, leftOut } = readDescription(document, { ...order, descriptionUrl });
  const [tool] = tools;
  if (!tool) throw new Error(JSON.stringify(leftOut));
  const {
    method,
    url: address,
    body,
    headers,
  } = requestOf(url, Operation.parse(JSON.parse(tool.operation ?? '')), input, null);
  return { method, address: address.href, ...(body !== undefined && { body, type: headers['content-type'] }) };
}

describe('YAML', () => {
  test.each([
    ['a tab', 'openapi: 3.0.0\npaths:\n\t/a: {}', /^Line 3 cannot be read as YAML/],
    ['marks of a merge', 'a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x', /^Line 2 is an unresolved merge marker/],
    ['quotation marks that never end', 'a: 1\nb: "never\nc: 2', /^Line \d cannot be read as YAML/],
    ['a list that never ends', 'a: [b', /^Line 1 cannot be read as YAML/],
    ['an alias of nothing', 'a: *none', /cannot be read as YAML/],
    ['a tab below empty lines', '\n\n# notes\nopenapi: 3.0.0\npaths:\n\t/a: {}', /^Line 6 cannot be read as YAML/],
    [
      'a path that is written twice',
      'openapi: 3.0.0\npaths:\n  /a: {get: {}}\n  /b: {get: {}}\n  /a: {post: {}}',
      /^Line 5 has “\/a” twice/,
    ],
    ['paths that are written twice', 'paths: {/a: {get: {}}}\npaths: {}', /^Line 2 has “paths” twice/],
  ])('refuses %s, and names the line', (_what, text, message) => {
    expect(() => parseDescription(text)).toThrow(message);
  });

  test('reads a document whose lines are all indented', () => {
    expect(parseDescription('\ufeff\n  openapi: 3.0.0\n  info:\n    title: a\n')).toEqual({
      openapi: '3.0.0',
      info: { title: 'a' },
    });
  });

  test('keeps texts that look like numbers, and aliases', () => {
    expect(parseDescription('a: {type: string, enum: [1.0, 1.10, 7]}\nb: {type: number, enum: [1.0]}')).toEqual({
      a: { type: 'string', enum: ['1.0', '1.10', '7'] },
      b: { type: 'number', enum: [1] },
    });
    expect(parseDescription('a: &x {b: 1}\nc: *x')).toEqual({ a: { b: 1 }, c: { b: 1 } });
  });

  test.each(['openapi: 3.0', 'openapi: 3.1', 'openapi: 3.0.1', 'swagger: 2.0', 'swagger: "2.0"'])(
    'reads %s',
    (version) => {
      const text = `${version}\nservers: [{url: 'https://example.org'}]\nhost: example.org\npaths: {/a: {get: {}}}`;
      expect(readDescription(parseDescription(text), order).tools).toHaveLength(1);
    },
  );
});

test('omits read-only fields from the arguments, wherever that is stated', () => {
  const schema = {
    type: 'object',
    required: ['id', 'made', 'name'],
    properties: {
      id: { $ref: '#/components/schemas/Id' },
      made: { allOf: [{ $ref: '#/components/schemas/Time' }, { description: 'When' }] },
      name: { type: 'string' },
    },
  };
  const components = {
    schemas: { Id: { type: 'integer', readOnly: true }, Time: { allOf: [{ type: 'string' }, { readOnly: true }] } },
  };
  const paths = { '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } };
  const [tool] = readDescription({ ...base, paths, components }, order).tools;
  expect(JSON.parse(tool?.inputSchema ?? '').properties.body).toEqual({
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' } },
  });
});

test('sends a form as a form', () => {
  const schema = { type: 'object', properties: { To: { type: 'string' }, Tags: { type: 'array', items: {} } } };
  const paths = {
    '/a': { post: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } } } },
  };
  expect(sentBy({ ...base, paths }, { body: { To: '+1 2&3', Tags: ['a', 'b'], None: null, Deep: { x: 1 } } })).toEqual({
    method: 'POST',
    address: 'https://example.org/api/a',
    type: 'application/x-www-form-urlencoded',
    body: 'To=%2B1%202%263&Tags=a&Tags=b&Deep=%7B%22x%22%3A1%7D',
  });
});

describe('Swagger 2.0', () => {
  const swagger = (operation: object, more: object = {}) => ({
    swagger: '2.0',
    host: 'example.org',
    basePath: '/v2',
    schemes: ['http', 'https'],
    paths: {
      '/pets/{id}': { parameters: [{ name: 'id', in: 'path', required: true, type: 'string' }], post: operation },
    },
    ...more,
  });
  const list = { in: 'query', name: 'tags', type: 'array', items: { type: 'string' } };
  const shapes: [string, object, object, object][] = [
    [
      'a body by reference',
      {
        parameters: [{ in: 'body', name: 'pet', required: true, schema: { $ref: '#/definitions/Pet' } }],
      },
      { id: 'a', body: { name: 'Rex' } },
      { body: '{"name":"Rex"}', type: 'application/json' },
    ],
    [
      'another kind of JSON',
      {
        consumes: ['application/xml', 'application/vnd.api+json'],
        parameters: [{ in: 'body', name: 'b', schema: {} }],
      },
      { id: 'a', body: [1] },
      { body: '[1]', type: 'application/vnd.api+json' },
    ],
    [
      'fields of a form',
      {
        consumes: ['application/x-www-form-urlencoded'],
        parameters: [{ in: 'formData', name: 'name', type: 'string', required: true }],
      },
      { id: 'a', body: { name: 'Rex & co' } },
      { body: 'name=Rex%20%26%20co', type: 'application/x-www-form-urlencoded' },
    ],
    [
      'commas',
      { parameters: [list] },
      { id: 'a', tags: ['x', 'y'] },
      { address: 'https://example.org/v2/pets/a?tags=x,y' },
    ],
    [
      'repeated names',
      { parameters: [{ ...list, collectionFormat: 'multi' }] },
      { id: 'a', tags: ['x', 'y'] },
      { address: 'https://example.org/v2/pets/a?tags=x&tags=y' },
    ],
    [
      'blanks',
      { parameters: [{ ...list, collectionFormat: 'ssv' }] },
      { id: 'a', tags: ['x', 'y'] },
      { address: 'https://example.org/v2/pets/a?tags=x%20y' },
    ],
    [
      'bars',
      { parameters: [{ ...list, collectionFormat: 'pipes' }] },
      { id: 'a', tags: ['x', 'y'] },
      { address: 'https://example.org/v2/pets/a?tags=x%7Cy' },
    ],
    [
      'a parameter by reference, over that of its path',
      { parameters: [{ $ref: '#/parameters/Id' }] },
      { id: 7 },
      { address: 'https://example.org/v2/pets/7' },
    ],
  ];
  const shared = {
    definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
    parameters: { Id: { name: 'id', in: 'path', required: true, type: 'integer' } },
  };
  test.each(shapes)('calls an operation with %s as described', (_what, operation, input, wanted) => {
    expect(sentBy(swagger(operation, shared), { ...input })).toMatchObject({ method: 'POST', ...wanted });
  });

  test.each([
    [{ in: 'formData', name: 'f', type: 'file' }, /multipart/],
    [{ ...list, collectionFormat: 'tsv' }, /an unknown style/],
    [{ $ref: '#/parameters/None' }, /does not exist/],
  ])('leaves out an operation that cannot be called: %j', (parameter, reason) => {
    const { tools, leftOut } = readDescription(swagger({ parameters: [parameter] }), order);
    expect([tools.length, leftOut[0]?.reason]).toEqual([0, expect.stringMatching(reason)]);
  });

  test.each([
    [{}, null, 'https://example.org/v2'],
    [{ schemes: ['http'] }, null, 'http://example.org/v2'],
    [{ schemes: undefined, basePath: undefined }, null, 'https://example.org/'],
    [{ host: undefined }, 'https://other.example/docs/swagger.json', 'https://other.example/v2'],
  ])('says where it is called: %j', (more, descriptionUrl, url) => {
    expect(readDescription(swagger({}, more), { ...order, descriptionUrl }).url).toBe(url);
  });
});
