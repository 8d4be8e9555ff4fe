import { invalidRequest } from '../http/errors.ts';
import { isObject, missing } from '../http/fields.ts';
import { queryText } from '../http/paging.ts';

const DAY_MS = 86_400_000;

type Rules = { groups: readonly string[]; limit: number };

const USUAL_LIMIT = 7;

function integer(query: unknown, name: string): number | undefined {
  const text = queryText(query, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text))
    throw invalidRequest(`Invalid type for '${name}': expected an integer, but got '${text}' instead.`, name);
  return Number(text);
}

/** Lists in the query: `name[]=a&name[]=b` or `name=a`. */
function list(query: unknown, name: string): string[] {
  if (!isObject(query)) return [];
  const given = query[`${name}[]`] ?? query[name];
  const values = Array.isArray(given) ? given : [given];
  return values.filter((value) => typeof value === 'string' && value !== '');
}

/** An opaque page token with the start of the page. */
const pageNamed = (from: number) => `page_${Buffer.from(String(from / 1_000)).toString('base64url')}`;

function startOfPage(name: string): number {
  const seconds = Number(Buffer.from(name.replace(/^page_/, ''), 'base64url').toString());
  if (!name.startsWith('page_') || !Number.isInteger(seconds) || seconds * 1_000 > 8.64e15)
    throw invalidRequest(`Invalid 'page': '${name}'.`, 'page', 'invalid_value');
  return seconds * 1_000;
}

/** Parses a query and returns the requested page of days; `resultsOf` is called for each of them. */
export function daysQuery(query: unknown, rules: Rules, nowMs: number) {
  const start = integer(query, 'start_time');
  if (start === undefined) throw missing('start_time');
  const end = (integer(query, 'end_time') ?? Math.ceil(nowMs / 1_000)) * 1_000;
  if (end <= start * 1_000)
    throw invalidRequest("Invalid 'end_time': it must be after 'start_time'.", 'end_time', 'invalid_value');
  const width = queryText(query, 'bucket_width') ?? '1d';
  if (width !== '1d')
    throw invalidRequest(`Invalid value: '${width}'. Supported values are: '1d'.`, 'bucket_width', 'invalid_value');
  const limit = integer(query, 'limit') ?? USUAL_LIMIT;
  if (limit < 1 || limit > rules.limit) {
    const message = `Invalid 'limit': expected an integer between 1 and ${rules.limit}, but got ${limit} instead.`;
    throw invalidRequest(message, 'limit', 'invalid_value');
  }
  const groupBy = new Set(list(query, 'group_by'));
  for (const group of groupBy) {
    if (rules.groups.includes(group)) continue;
    const supported = rules.groups.map((name) => `'${name}'`).join(', ');
    throw invalidRequest(`Invalid value: '${group}'. Supported values are: ${supported}.`, 'group_by', 'invalid_value');
  }
  const page = queryText(query, 'page');
  const first = Math.floor((page === undefined ? start * 1_000 : startOfPage(page)) / DAY_MS) * DAY_MS;
  const following = Math.min(end, first + limit * DAY_MS);
  const nextPage = following < end ? pageNamed(following) : null;
  return { from: first, end: following, groupBy, models: list(query, 'models'), nextPage };
}

/** The response's frame: it contains every day, even without requests. */
export function pageOfDays<Result>(
  { from, end, nextPage }: { from: number; end: number; nextPage: string | null },
  resultsOf: (day: string) => Result[],
) {
  const data = [];
  for (let day = from; day < end; day += DAY_MS) {
    const results = resultsOf(new Date(day).toISOString().slice(0, 10));
    data.push({ object: 'bucket', start_time: day / 1_000, end_time: (day + DAY_MS) / 1_000, results });
  }
  return { object: 'page', data, has_more: nextPage !== null, next_page: nextPage };
}
