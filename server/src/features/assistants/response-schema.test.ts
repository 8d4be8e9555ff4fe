import { isStrict, problemText, schemaProblem } from '@roster/contracts/response-schema';
import { describe, expect, test } from 'vitest';

const nested = (depth: number) => `${'{"type":"object","not":'.repeat(depth)}{}${'}'.repeat(depth)}`;

describe('a response schema', () => {
  test.each([
    ['', 'This is not JSON yet'],
    ['{"type":"object",}', 'This is not JSON yet: see line 1, column 18'],
    ['[]', 'A schema is an object, like {"type": "object", "properties": {…}}'],
    ['{"type":"array"}', 'The answer must be an object: set "type" to "object" (at /type)'],
    [nested(64), 'It is nested deeper than 64 levels'],
    [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'A schema is an object, like {"type": "object", "properties": {…}}'],
    [`{"type":"object","x":"${'x'.repeat(65_536)}"}`, 'The answer format cannot exceed 65536 characters'],
    ['{"type":"object","minProperties":1e999}', 'This number is too large (at /minProperties)'],
    ['{"type":"object","properties":[]}', 'Must be an object of schemas by their names (at /properties)'],
    ['{"type":"object","properties":{"a/b~c":{"type":"text"}}}', 'at /properties/a~1b~0c/type)'],
    ['{"type":"object","properties":{"a":1}}', 'A schema is required here (at /properties/a)'],
    ['{"type":"object","required":[1]}', 'Must be a list of names (at /required)'],
    ['{"type":"object","anyOf":[{"enum":[]}]}', 'Must be a list of at least one value (at /anyOf/0/enum)'],
    ['{"type":"object","anyOf":{}}', 'Must be a list of schemas (at /anyOf)'],
    ['{"type":"object","properties":{"a":{"minLength":"1"}}}', 'Must be a number (at /properties/a/minLength)'],
    ['{"type":"object","properties":{"a":{"pattern":"("}}}', 'not a regular expression (at /properties/a/pattern)'],
    ['{"type":"object","patternProperties":{"(":{}}}', 'not a regular expression (at /patternProperties/()'],
    ['{"type":"object","properties":{"a":{"$ref":"https://x.test/a"}}}', 'References must point into this schema'],
    [
      '{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}',
      'This reference has no target (at /properties/a/$ref)',
    ],
    ['{"type":"object","properties":{"a":{"$ref":"#/constructor"}}}', 'This reference has no target'],
  ])('rejects a wrong one: %.60s', (text, message) => {
    const problem = schemaProblem(text);
    expect(problem && problemText(problem)).toContain(message);
  });

  test.each([
    '{"type":"object"}',
    nested(63),
    '{"type":"object","properties":{"__proto__":{"type":["string","null"]},"a":{"$ref":"#"}}}',
    '{"type":"object","properties":{"a":{"$ref":"#/$defs/a~1b"}},"$defs":{"a/b":true}}',
    '{"type":"object","properties":{"a":{"const":{"type":"text"}},"b":{"items":[{},false]}}}',
  ])('accepts %.60s', (text) => {
    expect(schemaProblem(text)).toBeUndefined();
  });

  const closed = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });
  test.each([
    [true, closed({})],
    [true, closed({ a: { type: ['string', 'null'], format: 'date' }, b: { type: 'array', items: { $ref: '#' } } })],
    [true, closed({ a: { anyOf: [closed({}), { type: 'null' }] } }, { $defs: { c: closed({}) } })],
    [false, { type: 'object' }],
    [false, closed({ a: {} }, { required: [] })],
    [false, closed({ a: closed({}, { additionalProperties: {} }) })],
    [false, closed({ a: { type: 'string', minLength: 1 } })],
    [false, closed({ a: { type: 'string', format: 'color' } })],
    [false, closed({ a: true })],
    [false, closed({}, { anyOf: [{}] })],
  ])('knows whether it can be strict: %s for %j', (strict, schema) => {
    expect(isStrict(schema)).toBe(strict);
  });
});
