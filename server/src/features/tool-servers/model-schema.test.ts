import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { seeded } from '#server/testing/generated';
import { toModelSchema, toServerArguments } from './shared/model-schema.ts';

const made = (given: unknown) => toModelSchema(given).schema;
const ofProperty = (schema: unknown) => Object(made({ type: 'object', properties: { a: schema } })).properties.a;
const any = {};

describe('schemas in the form that providers accept', () => {
  const tops: [string, unknown, unknown][] = [
    ['an object without properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['nothing at all', {}, { type: 'object', properties: {} }],
    ['null properties', { type: 'object', properties: null, required: null }, { type: 'object', properties: {} }],
    [
      'drafts and ids',
      { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', $comment: 'y', type: 'object', properties: {} },
      { type: 'object', properties: {} },
    ],
    [
      'properties that are no schemas',
      { type: 'object', properties: { a: true, b: null, c: 'text', d: false }, required: ['a', 'a', 7] },
      { type: 'object', properties: { a: any, b: any, c: any }, required: ['a'] },
    ],
    [
      'something required that is not described',
      { type: 'object', properties: {}, required: ['a'] },
      { type: 'object', properties: { a: any }, required: ['a'] },
    ],
    [
      'alternatives at the top',
      {
        type: 'object',
        description: 'Finds.',
        properties: { id: { type: 'integer' }, name: { type: 'string' }, all: { type: 'boolean' } },
        required: ['all'],
        anyOf: [{ required: ['id'] }, { required: ['name'] }],
      },
      {
        type: 'object',
        description: 'Finds. Needs one of these sets of arguments: (all, id) or (all, name).',
        properties: { id: { type: 'integer' }, name: { type: 'string' }, all: { type: 'boolean' } },
        required: ['all'],
      },
    ],
    [
      'kinds of objects at the top',
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, x: { type: 'number' } },
            required: ['kind', 'x'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { kind: { const: 'b' }, x: { type: 'number' } },
            required: ['kind', 'x'],
            additionalProperties: false,
          },
        ],
      },
      {
        type: 'object',
        properties: {
          kind: {
            anyOf: [
              { type: 'string', enum: ['a'] },
              { type: 'string', enum: ['b'] },
            ],
          },
          x: { type: 'number' },
        },
        required: ['kind', 'x'],
        additionalProperties: false,
      },
    ],
    [
      'parts at the top',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { $ref: '#/definitions/B' },
        ],
        definitions: { B: { type: 'object', properties: { b: { type: 'string' } } } },
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
    ],
    ['an object or null', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
    [
      'conditions',
      JSON.parse('{"type":"object","if":{"required":["a"]},"then":false,"not":{},"dependentRequired":{}}'),
      { type: 'object', properties: {} },
    ],
  ];
  test.each(tops)('converts %s', (_what, given, wanted) => {
    expect(made(given)).toEqual(wanted);
  });

  const properties: [string, unknown, unknown][] = [
    ['an array without items', { type: 'array' }, { type: 'array', items: any }],
    ['an array of anything', { type: 'array', items: true }, { type: 'array', items: any }],
    [
      'a pair',
      { type: 'array', items: [{ type: 'string' }, { type: 'number' }], minItems: 2 },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] }, minItems: 2 },
    ],
    ['an inner object', { type: 'object', additionalProperties: 'true' }, { type: 'object', properties: {} }],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'array' } },
      { type: 'object', properties: {}, additionalProperties: { type: 'array', items: any } },
    ],
    [
      'a list of types',
      { type: ['string', 'null'], description: 'x', minLength: 1 },
      { description: 'x', anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    ],
    ['a list of one type', { type: ['string'] }, { type: 'string' }],
    [
      'an optional choice',
      { type: ['string', 'null'], enum: ['a', 'b', null] },
      { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
    ],
    ['what may be null', { type: 'integer', nullable: true }, { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['a constant', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['a type that is none', { type: 'any' }, any],
    ['types of Python', { type: 'str' }, { type: 'string' }],
    ['numbers of a text', { type: 'string', enum: [1, 2] }, { type: 'string', enum: ['1', '2'] }],
    ['values of another type', { type: 'string', enum: ['a', null] }, { type: 'string', enum: ['a'] }],
    ['no values', { type: 'string', enum: [] }, { type: 'string' }],
    [
      'bounds of draft 4',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { type: 'number', exclusiveMinimum: 1, maximum: 5 },
    ],
    [
      'bounds that are none',
      { type: 'string', minLength: '3', maxLength: null, pattern: '(?i)x[' },
      { type: 'string' },
    ],
    [
      'one of kinds',
      { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    ],
    ['anything or a text', { anyOf: [{}, { type: 'string' }] }, any],
    ['a part', { allOf: [{ type: 'string' }], description: 'x' }, { description: 'x', type: 'string' }],
    ['another document', { $ref: 'https://example.org/x.json' }, any],
    ['a reference to nothing', { $ref: '#/definitions/None' }, any],
    [
      'patterns of names',
      { type: 'object', patternProperties: { x: {} }, additionalProperties: false },
      { type: 'object', properties: {} },
    ],
  ];
  test.each(properties)('converts %s', (_what, given, wanted) => {
    expect(ofProperty(given)).toEqual(wanted);
  });

  test('names the first of thousands of values', () => {
    const values = Array.from({ length: 2_000 }, (_, at) => `value-${at}`);
    expect(ofProperty({ type: 'string', enum: values })).toEqual({
      type: 'string',
      description: expect.stringMatching(/^One of 2000 values, such as "value-0", "value-1"/),
    });
  });

  test('ends if a schema contains itself', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    };
    expect(made({ type: 'object', properties: { root: { $ref: '#/$defs/Node' } }, $defs: { Node: node } })).toEqual({
      type: 'object',
      properties: {
        root: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { description: 'Once more what Node is.' } },
          },
        },
      },
    });
    expect(made({ type: 'object', properties: { again: { $ref: '#' } } })).toMatchObject({ type: 'object' });
    // Each refers to the next one twice: written out, there would be 2^40 of them.
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/n${at + 1}` };
        return [`n${at}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    expect(
      JSON.stringify(made({ type: 'object', properties: { root: { $ref: '#/$defs/n0' } }, $defs: defs })).length,
    ).toBeLessThan(64 * 1024);
  });

  test.each([
    { type: 'string' },
    { type: 'array' },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'null' },
  ])('rejects %j', (given) => {
    expect(() => toModelSchema(given)).toThrow('its arguments are not an object');
  });
});

test('replaces names that no provider accepts, and sends the server its own', () => {
  const long = 'x'.repeat(80);
  const given = {
    type: 'object',
    properties: {
      'user[name]': { type: 'string' },
      user_name: { type: 'string' },
      größe: { type: 'object', properties: { 'in cm': { type: 'number' } }, additionalProperties: true },
      [long]: { type: 'array', items: { anyOf: [{ type: 'object', properties: { 'a b': {} } }, { type: 'string' }] } },
      $filter: { type: 'string', description: 'Kept.' },
    },
    required: ['user[name]', '$filter'],
  };
  const brought = toModelSchema(given);
  const { properties, required } = brought.schema;
  const names = Object.keys(Object(properties));
  expect(names).toEqual(['user_name_2', 'user_name', 'gro_e', 'x'.repeat(56), 'filter']);
  expect(required).toEqual(['user_name_2', 'filter']);
  expect(Object(properties)).toMatchObject({
    user_name_2: { type: 'string', description: 'user[name]' },
    filter: { description: 'Kept.' },
  });
  const input = {
    user_name_2: 'ada',
    user_name: 'Ada',
    gro_e: { in_cm: 1, filter: 'a key of its own' },
    ['x'.repeat(56)]: [{ a_b: 1 }, 'text'],
    filter: 'x',
    unknown: { user_name_2: 'kept' },
  };
  expect(toServerArguments(input, brought)).toEqual({
    'user[name]': 'ada',
    user_name: 'Ada',
    größe: { 'in cm': 1, filter: 'a key of its own' },
    [long]: [{ 'a b': 1 }, 'text'],
    $filter: 'x',
    unknown: { user_name_2: 'kept' },
  });
});

const unknownToSome =
  '$ref $defs definitions $schema oneOf allOf not if const nullable examples patternProperties prefixItems'.split(' ');

function* faultsOf(schema: JsonObject): Generator<string> {
  for (const key of unknownToSome) if (key in schema) yield key;
  if (Array.isArray(schema.type)) yield 'a list of types';
  if (schema.type === 'array' && !isObject(schema.items)) yield 'no items';
  if (schema.type === 'object' && !isObject(schema.properties)) yield 'no properties';
  if ('required' in schema && !Array.isArray(schema.required)) yield 'required is no list';
  const { additionalProperties: others = false } = schema;
  if (others !== false && !isObject(others)) yield 'additionalProperties';
  for (const name of Object.keys(Object(schema.properties)))
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) yield `the name ${name}`;
}

/** Finds keywords that strict providers refuse, at any depth. */
function faultsIn(schema: unknown): string[] {
  if (!isObject(schema)) return ['no schema'];
  const inner = [...Object.values(Object(schema.properties)), ...[schema.anyOf ?? []].flat()];
  return [...faultsOf(schema), ...[...inner, ...(schema.items === undefined ? [] : [schema.items])].flatMap(faultsIn)];
}

test('makes any schema acceptable to providers, for the same arguments', () => {
  const random = seeded('schemas');
  const upTo = (most: number) => Math.floor(random() * most);
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
  const names = ['a', 'b', 'c d', 'größe', 'x.y', 'user[id]'];
  const text = () => pick(['', 'a', 'bb', 'über']);

  /** A schema, and values that it accepts. */
  type Made = { schema: unknown; value: () => unknown };
  const plain: (() => Made)[] = [
    () => ({ schema: { type: 'string', title: 'T' }, value: text }),
    () => ({ schema: { type: 'integer', minimum: 0, exclusiveMaximum: 9, format: 'int64' }, value: () => upTo(9) }),
    () => ({ schema: { type: ['number', 'null'] }, value: () => (random() < 0.3 ? null : random()) }),
    () => ({ schema: { enum: ['a', 1, null] }, value: () => pick(['a', 1, null]) }),
    () => ({ schema: { const: 'k' }, value: () => 'k' }),
    () => ({ schema: pick([true, {}]), value: () => pick<unknown>([1, 'x', null, [2], { y: 1 }]) }),
    () => ({ schema: { type: 'array' }, value: () => pick<unknown>([[], [1, 'x'], [[{}]]]) }),
    () => ({ schema: { type: 'object' }, value: () => pick<unknown>([{}, { z: [1] }]) }),
    () => ({ schema: { $ref: '#/$defs/Text' }, value: text }),
    () => ({
      schema: { $ref: '#/$defs/Tree' },
      value: () => pick<unknown>([{ n: 1 }, { n: 2, t: { n: 3, t: { n: 4 } } }]),
    }),
  ];
  const schemaOf = (depth: number): Made => (depth === 0 || random() < 0.4 ? pick(plain)() : pick(composed)(depth));
  const composed: ((depth: number) => Made)[] = [
    (depth) => objectOf(depth),
    (depth) => {
      const items = schemaOf(depth - 1);
      return {
        schema: { type: 'array', items: items.schema },
        value: () => Array.from({ length: upTo(3) }, items.value),
      };
    },
    (depth) => {
      const parts = [schemaOf(depth - 1), schemaOf(depth - 1)];
      return { schema: { anyOf: parts.map((one) => one.schema), description: 'd' }, value: () => pick(parts).value() };
    },
    (depth) => {
      const one = schemaOf(depth - 1);
      return { schema: { allOf: [one.schema, true], examples: [1] }, value: one.value };
    },
  ];
  function objectOf(depth: number): Made {
    const fields = names
      .filter(() => random() < 0.4)
      .map((name) => ({ name, isNeeded: random() < 0.5, ...schemaOf(depth - 1) }));
    const isClosed = random() < 0.4;
    const schema = {
      type: 'object',
      properties: Object.fromEntries(fields.map((one) => [one.name, one.schema])),
      ...(random() < 0.8 && { required: fields.filter((one) => one.isNeeded).map(({ name }) => name) }),
      ...(random() < 0.7 && { additionalProperties: !isClosed }),
      $comment: 'c',
    };
    const value = () => ({
      ...Object.fromEntries(
        fields.filter((one) => one.isNeeded || random() < 0.5).map((one) => [one.name, one.value()]),
      ),
      ...('additionalProperties' in schema && schema.additionalProperties && random() < 0.3 && { more: 1 }),
    });
    return { schema, value };
  }
  const $defs = {
    Text: { type: 'string', description: 'A text' },
    Tree: { type: 'object', properties: { n: { type: 'integer' }, t: { $ref: '#/$defs/Tree' } }, required: ['n'] },
  };

  const options = { strict: false, validateFormats: false };
  // An instance compiles its meta-schema first, which takes longer than all the schemas of a test.
  const [givenTo, takenBy] = [new Ajv2020(options), new Ajv(options)];
  for (let round = 0; round < 200; round++) {
    const tops = Array.from({ length: pick([1, 1, 2]) }, () => objectOf(3));
    const one = tops[0]?.schema;
    const schema: JsonObject = {
      ...(tops.length === 1 && isObject(one) ? one : { anyOf: tops.map((top) => top.schema) }),
      $defs,
    };
    const brought = toModelSchema(schema);
    expect(faultsIn(brought.schema)).toEqual([]);
    expect(brought.schema).toMatchObject({ type: 'object' });
    expect(brought.schema).not.toHaveProperty('anyOf');
    // Converting it once more changes nothing.
    expect(toModelSchema(brought.schema).schema).toEqual(brought.schema);
    const given = givenTo.compile(schema);
    const taken = takenBy.compile(brought.schema);
    const toModel = new Map(Object.entries(brought.names).map(([model, server]) => [server, model]));
    const asModel = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(asModel);
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [toModel.get(name) ?? name, asModel(inner)]),
      );
    };
    for (let tries = 0; tries < 5; tries++) {
      const value = pick(tops).value();
      if (!given(value)) throw new Error(`Made up wrongly: ${JSON.stringify({ schema, value, errors: given.errors })}`);
      const modelValue = asModel(value);
      expect({ ok: taken(modelValue), schema, modelValue, errors: taken.errors }).toMatchObject({ ok: true });
      // If a value is not described, its names were not changed.
      expect(asModel(toServerArguments(Object(modelValue), brought))).toEqual(modelValue);
    }
  }
});
