import { searchWords } from '#server/db/search-words';

/** A search looks at so many words at most. */
const wordsAtMost = 12;

/** The words of a query, as the index has them. */
export const wordsOf = (query: string) => searchWords(query).split(' ').filter(Boolean).slice(0, wordsAtMost);

/** Whether a text that is not indexed yet has all words of a query. */
export function hasWords(text: string, query: string): boolean {
  const present = searchWords(text).toLowerCase().split(' ');
  const wanted = wordsOf(query.toLowerCase());
  return wanted.length > 0 && wanted.every((word) => present.some((one) => one.startsWith(word)));
}
