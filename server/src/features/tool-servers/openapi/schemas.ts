import { OmittedOperationError, type References, refOf } from '#server/features/tool-servers/shared/references';
import { isObject } from '#server/lib/is-object';

type Json = Record<string, unknown>;

const maxDepth = 12;
const maxRefs = 30;
/** References followed to find out if an argument is read-only. */
const maxHops = 5;
const nodesOfOperation = 4_000;
const nodesOfAll = 380_000;
/** A text of this length counts as one more node. */
const charactersOfNode = 50;
const tooDeep = 'its arguments are nested deeper than Roster accepts';

/** Copied as they are. */
const plain = new Set([
  'type',
  'format',
  'title',
  'description',
  'enum',
  'const',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
const single = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);
const several = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties']);

/** A schema that contains itself is mentioned where it recurs, not written out without end. */
const onceMore = (ref: string) => ({
  description: `Once more what ${ref.split('/').at(-1)?.slice(0, 100) ?? 'this'} is.`,
});

/** Limits of 3.0 are flags, those of JSON Schema are numbers. */
function withBounds(schema: Json): Json {
  const bounds = { ...schema };
  for (const [mark, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof bounds[mark] !== 'boolean') continue;
    if (bounds[mark] && typeof bounds[bound] === 'number') {
      bounds[mark] = bounds[bound];
      delete bounds[bound];
    } else delete bounds[mark];
  }
  return bounds;
}

/** `nullable` of 3.0, as JSON Schema has it. */
function withNull(schema: Json): Json {
  if (typeof schema.type === 'string') {
    const isEnum = Array.isArray(schema.enum) && !schema.enum.includes(null);
    return { ...schema, type: [schema.type, 'null'], ...(isEnum && { enum: [...[schema.enum].flat(), null] }) };
  }
  return Object.keys(schema).some((key) => several.has(key) || key === 'enum' || key === 'const')
    ? { anyOf: [schema, { type: 'null' }] }
    : schema;
}

/**
 * Counts what is written out, and copies values that are no schema: a YAML alias may stand for more than fits into
 * memory.
 */
function boundedCopies() {
  let ofAll = 0;
  let ofOperation = 0;

  function count(cost = 1) {
    ofAll += cost;
    ofOperation += cost;
    if (ofAll > nodesOfAll) throw new OmittedOperationError('the whole description is larger than Roster accepts');
    if (ofOperation > nodesOfOperation) throw new OmittedOperationError('its arguments are larger than Roster accepts');
  }

  function copied(value: unknown, depth: number): unknown {
    count(typeof value === 'string' ? 1 + value.length / charactersOfNode : 1);
    if (typeof value !== 'object' || value === null) return value;
    if (depth < 0) throw new OmittedOperationError(tooDeep);
    if (Array.isArray(value)) return value.map((inner) => copied(inner, depth - 1));
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner, depth - 1)]));
  }

  return {
    count,
    copied,
    /** Starts counting for another operation. */
    beginOperation() {
      ofOperation = 0;
    },
  };
}

/** YAML authors omit the quotation marks in an enum, and the service reads text. */
const asText = (value: unknown) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);

/** True if only the service may set a value, even if a reference or a part in `allOf` says so. */
function readOnlyCheck(at: References['at'], count: () => void) {
  return function isReadOnly(schema: unknown, hops = maxHops): boolean {
    if (!isObject(schema) || hops <= 0) return false;
    if (hops < maxHops) count();
    if (schema.readOnly === true) return true;
    const ref = refOf(schema);
    if (ref !== null && isReadOnly(at(ref), hops - 1)) return true;
    return Array.isArray(schema.allOf) && schema.allOf.some((part) => isReadOnly(part, hops - 1));
  };
}

/**
 * Schemas of a description as self-contained JSON Schema: references are written out, and read-only fields are left
 * out. Everything that is read counts, because a small document can describe something endless.
 */
export function schemaReader({ at }: References) {
  const { count, copied, beginOperation } = boundedCopies();

  const isReadOnly = readOnlyCheck(at, count);

  function properties(value: unknown, refs: readonly string[], depth: number): Json {
    const kept = Object.entries(isObject(value) ? value : {}).filter(([, inner]) => !isReadOnly(inner));
    return Object.fromEntries(kept.map(([name, inner]) => [name, read(inner, refs, depth)]));
  }

  function requiredOf(names: unknown[], properties: unknown): unknown[] {
    const given = isObject(properties) ? properties : {};
    return names
      .filter((name) => typeof name === 'string' && !(Object.hasOwn(given, name) && isReadOnly(given[name])))
      .map((name) => copied(name, 0));
  }

  /** Returns undefined for a keyword that JSON Schema does not have. */
  function member(key: string, value: unknown, refs: readonly string[], depth: number): unknown {
    if (plain.has(key)) return copied(value, depth);
    if (single.has(key)) return read(value, refs, depth);
    if (several.has(key) && Array.isArray(value)) return value.map((inner) => read(inner, refs, depth));
    return maps.has(key) && isObject(value) ? properties(value, refs, depth) : undefined;
  }

  function members(schema: Json, refs: readonly string[], depth: number): Json {
    const made: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      const kept = member(key, value, refs, depth);
      if (kept !== undefined) made[key] = kept;
    }
    if (schema.type === 'string' && Array.isArray(made.enum)) made.enum = made.enum.map(asText);
    if (Array.isArray(schema.required)) made.required = requiredOf(schema.required, schema.properties);
    return made;
  }

  function read(schema: unknown, refs: readonly string[] = [], depth = maxDepth): unknown {
    count();
    if (depth < 0) throw new OmittedOperationError(tooDeep);
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return {};
    const ref = refOf(schema);
    if (ref !== null) {
      if (refs.includes(ref)) return onceMore(ref);
      const { $ref: _ref, ...beside } = schema;
      if (refs.length >= maxRefs) throw new OmittedOperationError(tooDeep);
      const found = read(at(ref), [...refs, ref], depth);
      return isObject(found) ? { ...found, ...members(beside, refs, depth - 1) } : found;
    }
    const made = withBounds(members(schema, refs, depth - 1));
    return schema.nullable === true || schema['x-nullable'] === true ? withNull(made) : made;
  }

  return {
    read: (schema: unknown) => read(schema),
    beginOperation,
  };
}

export type SchemaReader = ReturnType<typeof schemaReader>;
