import type { JsonObject } from '../http/fields.ts';
import { citedAfter } from './response-object.ts';

/** The results of every search. */
const pages = [
  { url: 'https://example.org/first', title: 'The first page' },
  { url: 'https://example.com/second?page=2', title: '' },
];

export function webItem(id: string, status: 'in_progress' | 'completed', query: string): JsonObject {
  const sources = status === 'completed' ? pages.map(({ url }) => ({ type: 'url', url })) : undefined;
  return { id, type: 'web_search_call', status, action: { type: 'search', query, queries: [query], sources } };
}

/** Citations of the pages: the first in the middle of the text, both at its end. */
export function webCitations(tokens: readonly string[]): JsonObject[] {
  const [first, second] = pages;
  const end = tokens.join('').length;
  const middle = tokens.slice(0, citedAfter(tokens)).join('').length;
  return [
    { type: 'url_citation', ...first, start_index: 0, end_index: middle },
    { type: 'url_citation', ...second, start_index: middle, end_index: end },
    { type: 'url_citation', ...first, start_index: middle, end_index: end },
  ];
}
