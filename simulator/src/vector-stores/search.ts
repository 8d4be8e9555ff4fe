import { keywords } from '../generation/title.ts';
import { invalidRequest } from '../http/errors.ts';
import { isObject, type JsonObject } from '../http/fields.ts';
import type { Account, Attributes } from '../state/account.ts';
import { statusOf } from './indexing.ts';

export type SearchResult = { file_id: string; filename: string; score: number; text: string; attributes: Attributes };

type Value = string | number | boolean;
const isValue = (value: unknown): value is Value => ['string', 'number', 'boolean'].includes(typeof value);

function compares(type: string, value: Value | undefined, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const isIn = wanted.includes(value);
    return type === 'in' ? isIn : type === 'nin' && !isIn;
  }
  if (type === 'eq') return value === wanted;
  if (type === 'ne') return value !== wanted;
  if (value === undefined || !isValue(wanted)) return false;
  if (type === 'gt') return value > wanted;
  if (type === 'gte') return value >= wanted;
  if (type === 'lt') return value < wanted;
  return type === 'lte' && value <= wanted;
}

/** Matches a comparison of one attribute, or several filters joined by `and` or `or`. */
function passes(filter: JsonObject, attributes: Attributes): boolean {
  const { type, key, value, filters } = filter;
  if (type === 'and' || type === 'or') {
    const parts = (Array.isArray(filters) ? filters : []).filter(isObject);
    const one = (part: JsonObject) => passes(part, attributes);
    return type === 'and' ? parts.every(one) : parts.some(one);
  }
  if (typeof type !== 'string' || typeof key !== 'string') throw invalidRequest('Invalid filter.', 'filters');
  return compares(type, attributes[key], value);
}

/** The results of a file search: the stores' indexed files in order, without reading them. */
export function searchStores(
  account: Account,
  stores: readonly string[],
  nowMs: number,
  filters?: JsonObject,
): SearchResult[] {
  const entries = account.vectorStores.filter((store) => stores.includes(store.id)).flatMap((store) => store.files);
  const indexed = entries.flatMap((entry) => {
    const file = account.files.find((candidate) => candidate.id === entry.file_id);
    const attributes = entry.attributes ?? {};
    if (file === undefined || statusOf(file, entry, nowMs) !== 'completed') return [];
    return filters === undefined || passes(filters, attributes) ? [{ file, attributes }] : [];
  });
  const once = indexed.filter(({ file }, index) => indexed.findIndex((other) => other.file === file) === index);
  return once.slice(0, 20).map(({ file, attributes }, rank) => {
    const { id } = file;
    const score = Math.round(1_000 / (rank + 1.1)) / 1_000;
    return { file_id: id, filename: file.filename, score, text: `A passage of ${file.filename}.`, attributes };
  });
}

export function queryFor(text: string): string {
  return keywords(text, 6).join(' ') || 'everything';
}
