import { isObject, type JsonObject } from '#server/lib/is-object';
import { OmittedOperationError } from './references.ts';
import { intersectSchemas, propertiesOf, requiredOf } from './schema-parts.ts';
import { anyOf, simplifySchema } from './simple-schema.ts';

/** A tool's arguments, as described to a model. */
export type ModelSchema = {
  schema: JsonObject;
  /** Arguments whose names no provider accepts: the model's name, and the server's. */
  names: Record<string, string>;
};

/** Characters of the JSON. */
const maxSize = 64 * 1024;
/** A schema that is too large when written out is described less deeply. */
const depths = [12, 6, 4, 3, 2];
const maxNodes = 4_000;
const setsNamed = 8;

/**
 * Converts a schema to the form that every provider accepts: an object at the top, without references, unions of types,
 * or keywords that only some know. It accepts whatever the given one does, and may accept more: the server validates
 * its own.
 * @throws OmittedOperationError if the schema cannot be converted
 */
export function toModelSchema(given: unknown): ModelSchema {
  if (!isObject(given)) throw noObject();
  for (const depth of depths) {
    const made = withTakenNames(asArguments(simplifySchema(given, { document: given, nodes: maxNodes, depth })));
    if (JSON.stringify(made.schema).length <= maxSize) return made;
  }
  throw new OmittedOperationError('its arguments are larger than Roster accepts');
}

const noObject = () => new OmittedOperationError('its arguments are not an object, which every provider requires');

const alternativesOf = ({ anyOf }: JsonObject) => (Array.isArray(anyOf) ? anyOf.filter(isObject) : []);
const isOfObjects = ({ type }: JsonObject) => type === undefined || type === 'object';

/** Expands a schema into one for each way through its alternatives. */
function variantsOf(schema: JsonObject): JsonObject[] {
  const { anyOf: _alternatives, ...base } = schema;
  const alternatives = alternativesOf(schema);
  return alternatives.length === 0 ? [base] : alternatives.flatMap((one) => variantsOf(intersectSchemas(base, one)));
}

const named = (schemas: readonly JsonObject[], name: string) =>
  schemas.map((one) => propertiesOf(one).get(name)).filter((one) => one !== undefined);

/** Merges them into one object: no provider accepts alternatives at the top. @throws OmittedOperationError */
function asArguments(schema: JsonObject): JsonObject {
  const all = variantsOf(schema).filter(isOfObjects);
  const [first] = all;
  if (!first) throw noObject();
  const names = [...new Set(all.flatMap((one) => [...propertiesOf(one).keys()]))];
  const required = names.filter((name) => all.every((one) => requiredOf(one).includes(name)));
  const description = describe(schema.description, all);
  const isClosed = all.every(({ additionalProperties }) => additionalProperties === false);
  const others = isClosed || all.length === 1 ? first.additionalProperties : undefined;
  return {
    type: 'object',
    ...(description !== '' && { description }),
    properties: Object.fromEntries(names.map((name) => [name, anyOf(named(all, name))])),
    ...(required.length > 0 && { required }),
    ...(others !== undefined && { additionalProperties: others }),
  };
}

/** Says which arguments go together, which only words can express. */
function describe(description: unknown, variants: readonly JsonObject[]): string {
  const text = typeof description === 'string' ? description : '';
  const sets = [...new Set(variants.map((one) => requiredOf(one).join(', ')))].filter((set) => set !== '');
  if (variants.length < 2 || sets.length < 2) return text;
  const shown = sets.slice(0, setsNamed).map((set) => `(${set})`);
  return [text, `Needs one of these sets of arguments: ${shown.join(' or ')}.`].filter(Boolean).join(' ');
}

const takenName = /^[A-Za-z0-9_.-]{1,64}$/;

function* namesIn(schema: JsonObject): Generator<string> {
  for (const [name, inner] of propertiesOf(schema)) {
    yield name;
    yield* namesIn(inner);
  }
  for (const inner of [...alternativesOf(schema), schema.items, schema.additionalProperties])
    if (isObject(inner)) yield* namesIn(inner);
}

/** The same argument gets the same new name wherever it occurs. */
function withTakenNames(schema: JsonObject): ModelSchema {
  const all = new Set(namesIn(schema));
  const renamed = new Map<string, string>();
  const taken = new Set(all);
  for (const name of all) {
    if (takenName.test(name)) continue;
    const plain =
      name
        .normalize('NFKD')
        .replace(/[^A-Za-z0-9_.-]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, 56) || 'value';
    let wanted = plain;
    for (let number = 2; taken.has(wanted); number++) wanted = `${plain}_${number}`;
    taken.add(wanted);
    renamed.set(name, wanted);
  }
  if (renamed.size === 0) return { schema, names: {} };
  const names = [...renamed].map(([name, wanted]) => [wanted, name]);
  return { schema: rename(schema, renamed), names: Object.fromEntries(names) };
}

function rename(schema: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  const newName = (name: string) => renamed.get(name) ?? name;
  const inner = (value: unknown) => (isObject(value) ? rename(value, renamed) : value);
  const properties = [...propertiesOf(schema)].map(([name, one]) => {
    const isRenamed = renamed.has(name) && one.description === undefined;
    return [newName(name), rename(isRenamed ? { ...one, description: name } : one, renamed)];
  });
  return {
    ...schema,
    ...(isObject(schema.properties) && { properties: Object.fromEntries(properties) }),
    ...(Array.isArray(schema.required) && { required: requiredOf(schema).map(newName) }),
    ...(Array.isArray(schema.anyOf) && { anyOf: schema.anyOf.map(inner) }),
    ...(schema.items !== undefined && { items: inner(schema.items) }),
    ...(schema.additionalProperties !== undefined && { additionalProperties: inner(schema.additionalProperties) }),
  };
}

const withAlternatives = (schema: JsonObject): JsonObject[] => [
  schema,
  ...alternativesOf(schema).flatMap(withAlternatives),
];

/** A model's arguments, under the names that the server knows. */
export function toServerArguments(input: JsonObject, { schema, names }: ModelSchema): JsonObject {
  if (Object.keys(names).length === 0) return input;
  const originals = new Map(Object.entries(names));
  const back = (value: unknown, schemas: readonly JsonObject[]): unknown => {
    const all = schemas.flatMap(withAlternatives);
    if (Array.isArray(value)) {
      const items = all.map(({ items: inner }) => inner).filter(isObject);
      return value.map((one) => back(one, items));
    }
    return isObject(value) ? backIn(value, all) : value;
  };
  const backIn = (value: JsonObject, schemas: readonly JsonObject[]): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const own = named(schemas, name);
        if (own.length > 0) return [originals.get(name) ?? name, back(inner, own)];
        const others = schemas.map(({ additionalProperties }) => additionalProperties).filter(isObject);
        return [name, back(inner, others)];
      }),
    );
  return backIn(input, withAlternatives(schema));
}
