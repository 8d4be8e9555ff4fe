import type { OutputUnit } from '@cfworker/json-schema';

/** A mismatch: its place as a JSON pointer (empty: the whole answer), and what is expected. */
export type ValidationError = { at: string; message: string };

/** Keywords that only report an error inside, which follows. */
const containers = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'dependentSchemas',
  'allOf',
  'if',
  '$ref',
  '$recursiveRef',
]);
/** Keywords whose nested errors explain why each alternative failed, which is noise. */
const choices = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

const longest = 120;
const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text);
const shown = (value: unknown) => cut(JSON.stringify(value) ?? 'something else');
const oneOf = (words: readonly string[]) => cut(new Intl.ListFormat('en', { type: 'disjunction' }).format(words));
const formsIn = (value: unknown) => (Array.isArray(value) ? value.length : 'its');
const items = (value: unknown) => (value === 1 ? '1 item' : `${value} items`);
const characters = (value: unknown) => (value === 1 ? '1 character' : `${value} characters`);
const fields = (value: unknown) => (value === 1 ? '1 field' : `${value} fields`);

const typeName = (type: unknown) => (type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`);
/** The library quotes a name between the first and last quotation mark. */
const nameIn = (said: string) => cut(/"(.*)"/s.exec(said)?.[1] ?? '');

/** Expected value by keyword, from its value in the schema and the library's message. */
const expectationTexts: { readonly [keyword: string]: (value: unknown, said: string) => string } = {
  type: (value) => `must be ${oneOf([value].flat().map(typeName))}`,
  enum: (value) => `must be ${oneOf([value].flat().slice(0, 20).map(shown))}`,
  const: (value) => `must be ${shown(value)}`,
  false: () => 'must not be there',
  required: (_value, said) => `must have "${nameIn(said)}"`,
  dependentRequired: (_value, said) =>
    `must have other fields along with "${nameIn(said.replace(/ but does not have.*/s, ''))}"`,
  minimum: (value) => `must be ${value} or more`,
  maximum: (value) => `must be ${value} or less`,
  exclusiveMinimum: (value) => `must be more than ${value}`,
  exclusiveMaximum: (value) => `must be less than ${value}`,
  multipleOf: (value) => `must be a multiple of ${value}`,
  minLength: (value) => `must have ${characters(value)} or more`,
  maxLength: (value) => `must have ${characters(value)} or fewer`,
  pattern: (value) => `must match the pattern ${cut(String(value))}`,
  format: (value) => `must be a valid ${value}`,
  minItems: (value) => `must have ${items(value)} or more`,
  maxItems: (value) => `must have ${items(value)} or fewer`,
  uniqueItems: () => 'must not have the same item twice',
  contains: () => 'must have an item of a certain form',
  minContains: (value) => `must have ${items(value)} or more matching a schema`,
  maxContains: (value) => `must have ${items(value)} or fewer matching a schema`,
  minProperties: (value) => `must have ${fields(value)} or more`,
  maxProperties: (value) => `must have ${fields(value)} or fewer`,
  propertyNames: (_value, said) => `must not have the name "${nameIn(said)}"`,
  anyOf: (value) => `must match one of ${formsIn(value)} schemas`,
  oneOf: (value) => `must match exactly one of ${formsIn(value)} schemas`,
  not: () => 'must not have this form',
};

const withoutValue = new Set(['false', 'dependentRequired']);

const decoded = (pointer: string) => decodeURIComponent(pointer.slice(1));

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Value at a pointer in the schema; a `$ref` is followed as if its schema were inlined. */
function valueAt(schema: unknown, pointer: string): unknown {
  let at = schema;
  for (const part of pointer.split('/').slice(1)) {
    const next = inside(at, part.replaceAll('~1', '/').replaceAll('~0', '~'));
    at = part === '$ref' && typeof next === 'string' ? valueAt(schema, next) : next;
  }
  return at;
}

/** Reduces the library's errors to one message per place. */
export function describeErrors(units: readonly OutputUnit[], schema: unknown): ValidationError[] {
  const problems = new Map<string, ValidationError>();
  let choice: string | null = null;
  for (const { keyword, keywordLocation, instanceLocation, error } of units) {
    // `false` has no place in the schema: it belongs to the previous error.
    if (choice !== null && (keyword === 'false' || keywordLocation.startsWith(`${choice}/`))) continue;
    choice = choices.has(keyword) ? keywordLocation : null;
    if (containers.has(keyword)) continue;
    const demand = expectationTexts[keyword];
    const at = decoded(instanceLocation);
    const value = valueAt(schema, decoded(keywordLocation));
    const isReported = demand !== undefined && (value !== undefined || withoutValue.has(keyword));
    const message = isReported ? demand(value, error) : `does not satisfy ${keyword}`;
    problems.set(`${at} ${message}`, { at, message });
  }
  return [...problems.values()];
}
