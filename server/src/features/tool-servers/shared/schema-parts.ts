import { isObject, type JsonObject } from '#server/lib/is-object';

/** Properties of a simplified schema. */
export const propertiesOf = ({ properties }: JsonObject): Map<string, JsonObject> =>
  new Map(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) =>
      isObject(one) ? [[name, one]] : [],
    ),
  );

export const requiredOf = ({ required }: JsonObject): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** Keywords that describe and do not restrict. */
const words = new Set(['title', 'default']);
/** Merged separately below. */
const own = new Set([
  'properties',
  'required',
  'items',
  'additionalProperties',
  'enum',
  'anyOf',
  'type',
  'description',
]);

function typeOfBoth(a: unknown, b: unknown) {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  const both = new Set([a, b]);
  return both.has('integer') && both.has('number') ? 'integer' : undefined;
}

/** Values that are in both; undefined if nothing can be said. */
function valuesOfBoth(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return Array.isArray(a) ? a : b;
  const common = a.filter((value) => b.includes(value));
  return common.length > 0 ? common : undefined;
}

/** A schema that accepts whatever satisfies both simplified schemas. If they contradict each other it says nothing. */
export function intersectSchemas(a: JsonObject, b: JsonObject): JsonObject {
  const properties = propertiesOf(a);
  for (const [name, schema] of propertiesOf(b))
    properties.set(name, intersectSchemas(properties.get(name) ?? {}, schema));
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  const items = [a.items, b.items].filter(isObject);
  const described = [...new Set([a.description, b.description].filter((text) => typeof text === 'string'))];
  const closed = [a, b].filter((one) => one.type === 'object' || one.properties).map((one) => one.additionalProperties);
  const rest = Object.entries({ ...b, ...a }).filter(([key, value]) => {
    if (own.has(key)) return false;
    const other = Object.hasOwn(b, key) ? b[key] : value;
    return words.has(key) || other === value;
  });
  const joined = {
    type: typeOfBoth(a.type, b.type),
    description: described.length > 0 ? described.join(' ') : undefined,
    ...Object.fromEntries(rest),
    enum: valuesOfBoth(a.enum, b.enum),
    properties: properties.size > 0 || a.properties || b.properties ? Object.fromEntries(properties) : undefined,
    required: required.length > 0 ? required : undefined,
    items: items.length > 0 ? items.reduce(intersectSchemas) : undefined,
    additionalProperties: closed.length > 0 && closed.every((one) => one === closed[0]) ? closed[0] : undefined,
    // One set of alternatives is enough; both would be more than a model can follow.
    anyOf: a.anyOf ?? b.anyOf,
  };
  return Object.fromEntries(Object.entries(joined).filter(([, value]) => value !== undefined));
}
