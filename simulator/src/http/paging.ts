import { invalidRequest, notFound } from './errors.ts';
import { isObject } from './fields.ts';

type PageQuery = {
  limit: number;
  order: 'asc' | 'desc';
  after: string | undefined;
  before: string | undefined;
};

type Page<Item> = {
  object: 'list';
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
};

export function queryText(query: unknown, name: string): string | undefined {
  const value = isObject(query) ? query[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function pageQuery(query: unknown, limits: { usual: number; most: number }): PageQuery {
  const text = queryText(query, 'limit');
  const limit = text === undefined ? limits.usual : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.most) {
    const message = `Invalid 'limit': expected an integer between 1 and ${limits.most}, but got '${text}' instead.`;
    throw invalidRequest(message, 'limit', 'invalid_value');
  }
  const order = queryText(query, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw invalidRequest(`Invalid value: '${order}'. Supported values are: 'asc', 'desc'.`, 'order', 'invalid_value');
  }
  return { limit, order, after: queryText(query, 'after'), before: queryText(query, 'before') };
}

/** One page of items that are given oldest first. */
export function page<Item extends { id: string }>(oldestFirst: readonly Item[], query: PageQuery): Page<Item> {
  const ordered = query.order === 'asc' ? [...oldestFirst] : [...oldestFirst].reverse();
  const position = (id: string) => {
    const index = ordered.findIndex((item) => item.id === id);
    if (index === -1) throw notFound(`No such object: ${id}`, 'after');
    return index;
  };
  const start = query.after === undefined ? 0 : position(query.after) + 1;
  const end = query.before === undefined ? ordered.length : position(query.before);
  const data = ordered.slice(start, Math.min(end, start + query.limit));
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < end,
  };
}
