import { OmittedOperationError, type References } from '#server/features/tool-servers/shared/references';
import { isObject } from '#server/lib/is-object';
import { isOwnHeader, Parameter } from './operation.ts';
import type { SchemaReader } from './schemas.ts';

/** The secret that goes with each call; it is no argument of a tool. */
export type SecretPlace = { in: 'header' | 'query'; name: string } | null;

export type Argument = { name: string; schema: unknown; isRequired: boolean };

const maxParameters = 200;
const nameLimit = 200;
const descriptionLimit = 4_000;
const unreadable = 'one of its parameters cannot be read';

/** Reduces a name to what providers allow in an argument. */
const plainName = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 56) || 'value';

/** Makes names distinct, whatever they are. */
export function createNameAllocator() {
  const taken = new Set<string>();
  return (wanted: string): string => {
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    return name;
  };
}

type DescribedParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  isRequired: boolean;
  source: Record<string, unknown>;
};

/** Returns null for a parameter that is not sent. @throws OmittedOperationError if the operation needs it */
function givenOf(value: unknown, secret: SecretPlace): DescribedParameter | null {
  if (!isObject(value) || typeof value.name !== 'string' || value.name === '' || value.name.length > nameLimit)
    throw new OmittedOperationError(unreadable);
  const { name } = value;
  const isRequired = value.required === true || value.in === 'path';
  if (value.in === 'cookie') {
    if (isRequired) throw new OmittedOperationError('it needs a cookie');
    return null;
  }
  if (value.in !== 'path' && value.in !== 'query' && value.in !== 'header') throw new OmittedOperationError(unreadable);
  if (value.in === 'header') {
    if (isOwnHeader(name) || isSecret(secret, 'header', name)) return null;
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      throw new OmittedOperationError('it needs a header with an invalid name');
  }
  if (value.in === 'query' && isSecret(secret, 'query', name)) return null;
  return { name, in: value.in, isRequired, source: value };
}

const isSecret = (secret: SecretPlace, place: 'header' | 'query', name: string) =>
  secret?.in === place &&
  (place === 'header' ? secret.name.toLowerCase() === name.toLowerCase() : secret.name === name);

const usualStyle = { path: 'simple', query: 'form', header: 'simple' } as const;

/** How the value is written. @throws OmittedOperationError */
function styleOf({ in: place, source }: DescribedParameter): Pick<Parameter, 'style' | 'explode'> {
  if (isObject(source.content)) {
    if (!('application/json' in source.content))
      throw new OmittedOperationError('one of its parameters has a form other than JSON');
    return { style: 'json', explode: false };
  }
  const { success, data: style } = Parameter.shape.style.safeParse(source.style ?? usualStyle[place]);
  const isSimple = style === 'simple';
  if (!success || style === 'json' || (place === 'query') === isSimple)
    throw new OmittedOperationError('one of its parameters has an unknown style');
  return { style, explode: typeof source.explode === 'boolean' ? source.explode : style === 'form' };
}

const schemaOf = (source: Record<string, unknown>): unknown => {
  const { content } = source;
  const json = isObject(content) ? content['application/json'] : undefined;
  return isObject(json) ? json.schema : source.schema;
};

/** Parameters of the path and of the operation, which take precedence. */
function merged(ofPath: unknown, ofOperation: unknown, { follow }: References): Record<string, unknown>[] {
  const found = new Map<string, Record<string, unknown>>();
  const all = [ofPath, ofOperation].flatMap((list) => (Array.isArray(list) ? list : []));
  if (all.length > maxParameters) throw new OmittedOperationError('it has more parameters than Roster accepts');
  for (const one of all.map(follow)) {
    if (!isObject(one) || typeof one.in !== 'string' || typeof one.name !== 'string')
      throw new OmittedOperationError(unreadable);
    found.set(`${one.in} ${one.name}`, one);
  }
  return [...found.values()];
}

type Sources = { ofPath: unknown; ofOperation: unknown; secret: SecretPlace };
type Readers = { refs: References; schemas: SchemaReader; distinct: (name: string) => string };

/** @throws OmittedOperationError */
export function readParameters({ ofPath, ofOperation, secret }: Sources, { refs, schemas, distinct }: Readers) {
  const parameters: Parameter[] = [];
  const args: Argument[] = [];
  for (const value of merged(ofPath, ofOperation, refs)) {
    const given = givenOf(value, secret);
    if (!given) continue;
    const argument = distinct(plainName(given.name));
    parameters.push({ argument, name: given.name, in: given.in, ...styleOf(given) });
    const schema = schemas.read(schemaOf(value) ?? {});
    const { description } = value;
    const isDescribed = isObject(schema) && typeof description === 'string' && schema.description === undefined;
    args.push({
      name: argument,
      schema: isDescribed ? { ...schema, description: description.slice(0, descriptionLimit) } : schema,
      isRequired: given.isRequired,
    });
  }
  return { parameters, args };
}
