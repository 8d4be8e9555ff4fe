import { describe, expect, test } from 'vitest';
import { validateAnswer } from './validate-answer.ts';

const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
/** Problems of an answer, one per line. */
function wrongIn(answer: unknown, schema: unknown) {
  const check = validateAnswer({ text: json(answer), schema: json(schema) });
  return check.state === 'checked' ? check.problems.map(({ at, message }) => `${at} ${message}`) : check.state;
}
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test('finds no problem in a valid answer', () =>
  expect(
    wrongIn(
      { items: [{ price: 3 }] },
      object({ items: { type: 'array', items: object({ price: { type: 'number' } }) } }),
    ),
  ).toEqual([]));

test('reports a nested problem once, at its place', () => {
  const item = object({ price: { type: 'number' }, name: { type: ['string', 'null'] } }, { required: ['name'] });
  const schema = object({ items: { type: 'array', items: { $ref: '#/$defs/a~1b' } } }, { $defs: { 'a/b': item } });
  expect(wrongIn({ items: [{ price: '3', name: 4 }, {}] }, schema)).toEqual([
    '/items/0/price must be a number',
    '/items/0/name must be a string or null',
    '/items/1 must have "name"',
  ]);
});

describe('describing what is expected', () => {
  test.each<[unknown, object, string]>([
    [1, { type: 'integer', minimum: 2 }, 'must be 2 or more'],
    [3, { maximum: 2 }, 'must be 2 or less'],
    [2, { exclusiveMinimum: 2 }, 'must be more than 2'],
    [2, { exclusiveMaximum: 2 }, 'must be less than 2'],
    [3, { multipleOf: 2 }, 'must be a multiple of 2'],
    ['a', { enum: ['x', 1, null] }, 'must be "x", 1, or null'],
    ['a', { const: { b: 1 } }, 'must be {"b":1}'],
    ['a', { minLength: 2 }, 'must have 2 characters or more'],
    ['abc', { maxLength: 1 }, 'must have 1 character or fewer'],
    ['a', { pattern: '^b+$' }, 'must match the pattern ^b+$'],
    ['a', { format: 'date' }, 'must be a valid date'],
    [[], { minItems: 1 }, 'must have 1 item or more'],
    [[1, 2], { maxItems: 1 }, 'must have 1 item or fewer'],
    [[1, 1], { uniqueItems: true }, 'must not have the same item twice'],
    [[1], { contains: { type: 'string' } }, 'must have an item of a certain form'],
    [{}, { minProperties: 2 }, 'must have 2 fields or more'],
    [{ bad: 1 }, { propertyNames: { maxLength: 2 } }, 'must not have the name "bad"'],
    [{ a: 1 }, { dependentRequired: { a: ['b'] } }, 'must have other fields along with "a"'],
    [true, { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'must match one of 2 schemas'],
    [1, { oneOf: [{ type: 'number' }, { type: 'integer' }] }, 'must match exactly one of 2 schemas'],
    [1, { not: { type: 'number' } }, 'must not have this form'],
    [[1, 'a'], { type: 'object' }, 'must be an object'],
  ])('describes %j with %j', (value, schema, message) =>
    expect(wrongIn({ it: value }, object({ it: schema }))).toEqual([`/it ${message}`]),
  );

  test('names unexpected fields', () =>
    expect(wrongIn({ 'a/b #%': 1 }, object({}, { additionalProperties: false }))).toEqual([
      '/a~1b #% must not be there',
    ]));

  test('describes the whole answer without a place', () =>
    expect(wrongIn({}, object({}, { required: ['steps'] }))).toEqual([' must have "steps"']));
});

test('treats names of built-in properties as ordinary names', () => {
  const schema = '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["toString"]}';
  expect(wrongIn('{"__proto__":1}', schema)).toEqual([' must have "toString"', '/__proto__ must be a string']);
});

test('validates by the draft that a schema names', () => {
  const items = { items: [{ type: 'string' }] };
  expect(wrongIn({ it: [1] }, object({ it: items }, { $schema: 'http://json-schema.org/draft-07/schema#' }))).toEqual([
    '/it/0 must be a string',
  ]);
});

test('reports only the first of a hundred thousand problems', () => {
  const check = validateAnswer({
    text: JSON.stringify({ it: Array.from({ length: 100_000 }, () => 'x') }),
    schema: json(object({ it: { type: 'array', items: { type: 'number' } } })),
  });
  expect(check).toMatchObject({
    state: 'checked',
    problems: expect.arrayContaining([{ at: '/it/0', message: 'must be a number' }]),
  });
  expect(check.state === 'checked' && check.problems.length).toBeLessThanOrEqual(100);
});

test.each([
  ['a schema that leads back to itself', '{}', '{"$ref":"#"}'],
  [
    'more levels than can be gone through',
    `{"a":${'['.repeat(99_999)}${']'.repeat(99_999)}}`,
    '{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}',
  ],
  ['what is no schema', '{}', '{"$ref":"#/nowhere"}'],
])('reports that %s cannot be checked', (_what, answer, schema) => expect(wrongIn(answer, schema)).toBe('failed'));
