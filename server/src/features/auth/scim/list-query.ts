import { ScimError } from '#server/http/scim/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { type Condition, parseFilter } from './filter.ts';

export const maxResults = 200;
const defaultResults = 100;

type Projection = { attributes: ReadonlySet<string> | undefined; excluded: ReadonlySet<string> };
export type ListQuery = Projection & { filter: Condition[]; startIndex: number; count: number };

const listed = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Attributes that are always returned. */
const always: ReadonlySet<string> = new Set(['schemas', 'id']);

function single(query: JsonObject, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value?.trim() || undefined;
  throw new ScimError('invalidValue', `Send ${name} once.`);
}

function wholeNumber(query: JsonObject, name: string): number | undefined {
  const value = single(query, name);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,9}$/.test(value)) throw new ScimError('invalidValue', `${name} must be a whole number.`);
  return Number(value);
}

/** The attributes in a list with commas, without their schema and their parts. */
function namesIn(list: string | undefined): Set<string> | undefined {
  if (list === undefined) return undefined;
  const names = list.split(',').map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/^urn:.*:/, ''),
  );
  return new Set(names.flatMap((name) => name.split('.', 1)));
}

/** The attributes that a response is to contain. */
export function readProjection(query: unknown): Projection {
  const given = isObject(query) ? query : {};
  return {
    attributes: namesIn(single(given, 'attributes')),
    excluded: namesIn(single(given, 'excludedAttributes')) ?? new Set(),
  };
}

/** @throws ScimError invalidFilter, invalidValue */
export function readListQuery(query: unknown): ListQuery {
  const given = isObject(query) ? query : {};
  const filter = single(given, 'filter');
  return {
    ...readProjection(given),
    filter: filter === undefined ? [] : parseFilter(filter),
    startIndex: Math.max(1, wholeNumber(given, 'startIndex') ?? 1),
    count: Math.min(maxResults, Math.max(0, wholeNumber(given, 'count') ?? defaultResults)),
  };
}

export const isWanted = ({ attributes, excluded }: Projection, name: string) =>
  attributes ? attributes.has(name) : !excluded.has(name);

/** The resource with the attributes that were asked for. */
export const project = (resource: JsonObject, projection: Projection): JsonObject =>
  Object.fromEntries(
    Object.entries(resource).filter(([name]) => always.has(name) || isWanted(projection, name.toLowerCase())),
  );

export const listResponse = (total: number, startIndex: number, resources: readonly JsonObject[]) => ({
  schemas: [listed],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
