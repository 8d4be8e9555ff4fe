import { z } from 'zod';

export const responseSchemaLimit = 65_536;
const depthLimit = 64;

/** Why a schema cannot be used. `at`: JSON pointer to the place, empty for the whole schema. */
type SchemaProblem = { at: string; message: string };

type Json = { [name: string]: unknown };
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const isType = (value: unknown) => typeof value === 'string' && types.includes(value);
const holdOne = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalItems',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const holdLists = ['anyOf', 'allOf', 'oneOf', 'prefixItems'];
const holdNamed = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

const below = (at: string, key: string | number) => `${at}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The problem of a text that is not JSON. Browser engines state the position in different ways, or not at all. */
function syntaxProblem(error: unknown): SchemaProblem {
  const place = /line (\d+) column (\d+)/.exec(String(error));
  return { at: '', message: `This is not JSON yet${place ? `: see line ${place[1]}, column ${place[2]}` : ''}` };
}

function outOfBounds(root: unknown): SchemaProblem | undefined {
  const open = [{ value: root, at: '', depth: 1 }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, at, depth } = one;
    if (typeof value === 'number' && !Number.isFinite(value)) return { at, message: 'This number is too large' };
    if (typeof value !== 'object' || value === null) continue;
    if (depth > depthLimit) return { at: '', message: `It is nested deeper than ${depthLimit} levels` };
    for (const [key, inner] of Object.entries(value)) open.push({ value: inner, at: below(at, key), depth: depth + 1 });
  }
  return undefined;
}

/** The value at a pointer like `#/$defs/step`; undefined: none. */
function pointedAt(root: unknown, ref: string): unknown {
  let found = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function patternProblem(pattern: unknown, at: string): SchemaProblem | undefined {
  try {
    if (typeof pattern === 'string' && new RegExp(pattern, 'u')) return undefined;
  } catch {
    // Reported below.
  }
  return { at, message: 'This pattern is not a regular expression' };
}

const isNameList = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === 'string');
const isTypes = (value: unknown) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType));

/** Required values of certain keywords. */
const holds: [keys: string[], fits: (value: unknown) => boolean, message: string][] = [
  [['type'], isTypes, `Must be one of ${types.join(', ')}`],
  [['required'], isNameList, 'Must be a list of names'],
  [['enum'], (value) => Array.isArray(value) && value.length > 0, 'Must be a list of at least one value'],
  [[...counts, ...bounds], (value) => typeof value === 'number', 'Must be a number'],
  [holdLists, (value) => Array.isArray(value) && value.length > 0, 'Must be a list of schemas'],
  [holdNamed, isJson, 'Must be an object of schemas by their names'],
];

function referenceProblem(ref: unknown, at: string, root: unknown): SchemaProblem | undefined {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref))
    return { at, message: 'References must point into this schema, like #/$defs/name' };
  const found = pointedAt(root, ref);
  return isJson(found) || typeof found === 'boolean' ? undefined : { at, message: 'This reference has no target' };
}

/** A problem with the keywords of one schema, without nested schemas. */
function keywordProblem(schema: Json, at: string, root: unknown): SchemaProblem | undefined {
  for (const [keys, fits, message] of holds) {
    const wrong = keys.find((key) => schema[key] !== undefined && !fits(schema[key]));
    if (wrong !== undefined) return { at: below(at, wrong), message };
  }
  const { $ref: ref, pattern, patternProperties } = schema;
  const reference = ref === undefined ? undefined : referenceProblem(ref, below(at, '$ref'), root);
  if (reference) return reference;
  if (pattern !== undefined) return patternProblem(pattern, below(at, 'pattern'));
  const here = below(at, 'patternProperties');
  const names = isJson(patternProperties) ? Object.keys(patternProperties) : [];
  return names.map((name) => patternProblem(name, below(here, name))).find((problem) => problem !== undefined);
}

type Place = { schema: unknown; at: string };

/** The nested schemas of one whose keywords are valid. */
function inside(schema: Json, at: string): Place[] {
  const places = (entries: Iterable<[string | number, unknown]>, here: string): Place[] =>
    [...entries].map(([key, inner]) => ({ schema: inner, at: below(here, key) }));
  const alone = [...holdOne, 'items'].filter((key) => schema[key] !== undefined && !Array.isArray(schema[key]));
  return [
    ...places(
      alone.map((key) => [key, schema[key]]),
      at,
    ),
    ...[...holdLists, 'items'].flatMap((key) => {
      const list = schema[key];
      return Array.isArray(list) ? places(list.entries(), below(at, key)) : [];
    }),
    ...holdNamed.flatMap((key) => {
      const named = schema[key];
      return isJson(named) ? places(Object.entries(named), below(at, key)) : [];
    }),
  ];
}

/** Why a text cannot be a response schema; undefined: it can. */
export function schemaProblem(text: string): SchemaProblem | undefined {
  if (text.length > responseSchemaLimit)
    return { at: '', message: `The answer format cannot exceed ${responseSchemaLimit} characters` };
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    return syntaxProblem(error);
  }
  if (!isJson(root)) return { at: '', message: 'A schema is an object, like {"type": "object", "properties": {…}}' };
  const outside = outOfBounds(root);
  if (outside) return outside;
  if (root.type !== 'object') return { at: '/type', message: 'The answer must be an object: set "type" to "object"' };
  const open: Place[] = [{ schema: root, at: '' }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { schema, at } = one;
    if (typeof schema === 'boolean') continue;
    if (!isJson(schema)) return { at, message: 'A schema is required here' };
    const problem = keywordProblem(schema, at, root);
    if (problem) return problem;
    open.push(...inside(schema, at));
  }
  return undefined;
}

export const problemText = ({ at, message }: SchemaProblem) => (at === '' ? message : `${message} (at ${at})`);

/** The JSON schema of an assistant’s answers, as written. */
export const ResponseSchema = z.string().superRefine((text, context) => {
  const problem = schemaProblem(text);
  if (problem) context.addIssue({ code: 'custom', message: problemText(problem) });
});

/** Keywords that the provider enforces, by its guide to structured outputs; all others are best effort. */
const strictKeywords = new Set([
  '$schema',
  '$ref',
  '$defs',
  'definitions',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  ...bounds,
]);
const strictFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

function isStrictObject({ properties = {}, required, additionalProperties }: Json) {
  const names = isJson(properties) ? Object.keys(properties) : [];
  return additionalProperties === false && Array.isArray(required) && names.every((name) => required.includes(name));
}

function isStrictSchema(schema: unknown, at: string): boolean {
  if (typeof schema === 'boolean') return !schema && at.endsWith('/additionalProperties');
  if (!isJson(schema) || !Object.keys(schema).every((key) => strictKeywords.has(key))) return false;
  const { type, properties, format } = schema;
  const isObject = [type].flat().includes('object') || properties !== undefined;
  return (!isObject || isStrictObject(schema)) && (format === undefined || strictFormats.includes(String(format)));
}

/** True if the provider can enforce every part of a valid schema. */
export function isStrict(root: unknown): boolean {
  if (!isJson(root) || root.anyOf !== undefined) return false;
  const open: Place[] = [{ schema: root, at: '' }];
  for (let one = open.pop(); one; one = open.pop()) {
    if (!isStrictSchema(one.schema, one.at)) return false;
    if (isJson(one.schema)) open.push(...inside(one.schema, one.at));
  }
  return true;
}
