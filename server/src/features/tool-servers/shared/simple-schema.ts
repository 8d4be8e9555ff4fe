import { isObject, type JsonObject } from '#server/lib/is-object';
import { references } from './references.ts';
import { intersectSchemas } from './schema-parts.ts';

/** `nodes` counts down over the whole schema. Beyond it, and beyond `depth`, a value is not described. */
type SchemaBounds = { document: unknown; nodes: number; depth: number };
type Place = { refs: readonly string[]; depth: number };

const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Names that some authors write. */
const alsoKnownAs: Record<string, string> = {
  str: 'string',
  text: 'string',
  date: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  list: 'array',
  tuple: 'array',
  dict: 'object',
  map: 'object',
};
const maxValues = 250;
const maxValueCharacters = 15_000;
const valuesNamed = 20;

const numberKeys = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
const countKeys = ['minLength', 'maxLength', 'minItems', 'maxItems'] as const;
const textKeys = ['description', 'title', 'format'] as const;
const ofType: Record<string, readonly string[]> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: numberKeys,
  integer: numberKeys,
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
  boolean: [],
  null: [],
};
const typed = new Set(Object.values(ofType).flat());

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const typeOfValue = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const fits = (value: unknown, type: string) =>
  type === typeOfValue(value) ||
  (typeof value === 'number' && (type === 'number' || (type === 'integer' && Number.isInteger(value))));

/** Rewrites a schema with keywords that every provider knows; the result accepts at least as much. */
export function simplifySchema(schema: unknown, bounds: SchemaBounds, place?: Place): JsonObject {
  const { refs, depth } = place ?? { refs: [], depth: bounds.depth };
  bounds.nodes--;
  if (!isObject(schema) || depth < 0 || bounds.nodes < 0) return {};
  const inner = (value: unknown) => simplifySchema(value, bounds, { refs, depth: depth - 1 });
  const parts = [withoutParts(schema, inner)];
  if (typeof schema.$ref === 'string') parts.unshift(referred(schema.$ref, bounds, { refs, depth }));
  if (Array.isArray(schema.allOf))
    parts.push(...schema.allOf.map((one) => simplifySchema(one, bounds, { refs, depth })));
  for (const alternatives of [schema.anyOf, schema.oneOf])
    if (Array.isArray(alternatives)) parts.push(anyOf(alternatives.map(inner)));
  return parts.reduce(intersectSchemas);
}

/** A schema that contains itself is described once. */
function referred(ref: string, bounds: SchemaBounds, { refs, depth }: Place): JsonObject {
  if (refs.includes(ref))
    return { description: `Once more what ${ref.split('/').at(-1)?.slice(0, 100) ?? 'this'} is.` };
  try {
    return simplifySchema(references(bounds.document).at(ref), bounds, { refs: [...refs, ref], depth });
  } catch {
    // It leads nowhere, or to another document, which is not fetched: nothing is known about the value.
    return {};
  }
}

/** Alternatives, if each of them says something. */
export function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const flat = schemas.flatMap((one) =>
    Object.keys(one).length === 1 && Array.isArray(one.anyOf) ? one.anyOf.filter(isObject) : [one],
  );
  const distinct = [...new Map(flat.map((one) => [JSON.stringify(one), one])).values()];
  const [only] = distinct;
  if (!only || distinct.some((one) => Object.keys(one).length === 0)) return {};
  return distinct.length === 1 ? only : { anyOf: distinct };
}

/** A schema without the parts that it is composed of. */
function withoutParts(schema: JsonObject, inner: (value: unknown) => JsonObject): JsonObject {
  const made: JsonObject = { ...bounded(schema), ...ofArray(schema, inner), ...ofObject(schema, inner) };
  const listed = typesOf(schema, made);
  const { values, note } = valuesOf(schema, listed);
  if (note !== '') made.description = [made.description, note].filter(Boolean).join(' ');
  if (values && listed.length === 0) return withType({ ...made, enum: values }, [...new Set(values.map(typeOfValue))]);
  return withType(values ? { ...made, enum: values } : made, listed);
}

/** Separates each type with its keywords: only some providers know lists of types. */
function withType(schema: JsonObject, listed: readonly string[]): JsonObject {
  const { enum: values, ...rest } = schema;
  const [only] = listed;
  if (only === undefined) return schema;
  const entries = Object.entries(rest);
  const about = (type: string): JsonObject => {
    const own = Array.isArray(values) ? values.filter((value) => fits(value, type)) : undefined;
    const keys = new Set(ofType[type]);
    const completed = { ...completion[type], ...Object.fromEntries(entries.filter(([key]) => keys.has(key))) };
    return { type, ...completed, ...(own && own.length > 0 && type !== 'null' && { enum: own }) };
  };
  const general = Object.fromEntries(entries.filter(([key]) => !typed.has(key)));
  if (listed.length === 1) return { ...general, ...about(only) };
  const possible = listed.filter((type) => !Array.isArray(values) || values.some((value) => fits(value, type)));
  return { ...general, anyOf: (possible.length > 0 ? possible : listed).map(about) };
}

/** Keywords that providers require of each type. */
const completion: Record<string, JsonObject> = { object: { properties: {} }, array: { items: {} } };

function typesOf({ type, nullable }: JsonObject, made: JsonObject): string[] {
  const given = (Array.isArray(type) ? type : [type]).map((one) =>
    typeof one === 'string' ? (types.has(one) ? one : (alsoKnownAs[one.toLowerCase()] ?? '')) : '',
  );
  // An unknown type may mean anything.
  const typeNames = given.every((one) => one !== '') ? given : [];
  const guessed =
    type === undefined && made.properties ? ['object'] : type === undefined && made.items ? ['array'] : [];
  const all = typeNames.length > 0 ? typeNames : guessed;
  return [...new Set(nullable === true && all.length > 0 ? [...all, 'null'] : all)];
}

/** Texts and limits of the right type. */
function bounded(schema: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const key of textKeys) if (typeof schema[key] === 'string') made[key] = schema[key];
  for (const key of numberKeys) if (typeof schema[key] === 'number') made[key] = schema[key];
  for (const key of countKeys) if (Number.isInteger(schema[key]) && Number(schema[key]) >= 0) made[key] = schema[key];
  if (typeof schema.uniqueItems === 'boolean') made.uniqueItems = schema.uniqueItems;
  if (typeof schema.pattern === 'string' && isPattern(schema.pattern)) made.pattern = schema.pattern;
  if (schema.default !== undefined) made.default = schema.default;
  // Drafts before 6 mark them like this.
  for (const [mark, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (schema[mark] === true && typeof schema[bound] === 'number') {
      made[mark] = schema[bound];
      delete made[bound];
    }
  if (made.multipleOf !== undefined && !(Number(made.multipleOf) > 0)) delete made.multipleOf;
  return made;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

function ofArray({ items, prefixItems }: JsonObject, inner: (value: unknown) => JsonObject): JsonObject {
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = isObject(items) ? [items] : [];
  if (places.length > 0) return { items: anyOf([...places, ...rest].map(inner)) };
  return items === undefined ? {} : { items: inner(items) };
}

function ofObject(schema: JsonObject, inner: (value: unknown) => JsonObject): JsonObject {
  const { required, patternProperties, additionalProperties: others } = schema;
  const given = isObject(schema.properties) ? Object.entries(schema.properties) : undefined;
  const needed = Array.isArray(required) ? [...new Set(required.filter((name) => typeof name === 'string'))] : [];
  const kept = given
    ?.filter(([, value]) => value !== false)
    .map(([name, value]): [string, JsonObject] => [name, inner(value)]);
  const unnamed = needed
    .filter((name) => !given?.some(([property]) => property === name))
    .map((name): [string, JsonObject] => [name, {}]);
  const properties = kept || unnamed.length > 0 ? Object.fromEntries([...(kept ?? []), ...unnamed]) : undefined;
  const isClosed = others === false && !isObject(patternProperties);
  return {
    ...(properties && { properties }),
    ...(needed.length > 0 && { required: needed }),
    ...(isClosed ? { additionalProperties: false } : isObject(others) && { additionalProperties: inner(others) }),
  };
}

/** Possible values. If there are more than providers accept, the first ones are named in words. */
function valuesOf(schema: JsonObject, listed: readonly string[]): { values?: unknown[]; note: string } {
  const given = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const];
  if (given.length === 0 || !given.every(isScalar)) return { note: '' };
  // Their author omitted the quotation marks.
  const isText =
    listed.includes('string') && !listed.some((type) => type === 'number' || type === 'integer' || type === 'boolean');
  const all = [...new Set(given)].map((value) => (isText && value !== null ? String(value) : value));
  const values = all.filter((value) => listed.length === 0 || listed.some((type) => fits(value, type)));
  if (values.length === 0) return { note: '' };
  const length = values.reduce((sum: number, value) => sum + String(value).length, 0);
  if (values.length <= maxValues && length <= maxValueCharacters) return { values, note: '' };
  const named = values.slice(0, valuesNamed).map((value) => JSON.stringify(value).slice(0, 100));
  return { note: `One of ${values.length} values, such as ${named.join(', ')}.` };
}
