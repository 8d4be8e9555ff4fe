import { searchWords } from '#server/db/search-words';

/** A search looks at so many words at most. */
const wordsAtMost = 12;

/** A word of a query, as the index has it; else than a whole one it is found by its beginning. */
export type Word = { word: string; isWhole: boolean };

/** The index has no such signs: C++, C# and .NET are more than the words c and net. */
const hasSign = (term: string) => /[+#]|^\.[\p{L}\p{N}]/u.test(term);

const termsOf = (query: string) => query.split(/\s+/).filter(Boolean);

function wordsOfTerm(term: string): Word[] {
  const words = searchWords(term).split(' ').filter(Boolean);
  const endsInWord = /[\p{L}\p{N}\p{M}]$/u.test(term);
  return words.map((word, index) => ({
    word,
    // A sign behind it says that all of it is typed.
    isWhole: hasSign(term) && (index < words.length - 1 || !endsInWord),
  }));
}

/** The words of a query, as the index has them. */
export const wordsOf = (query: string): Word[] => termsOf(query).flatMap(wordsOfTerm).slice(0, wordsAtMost);

/** What of a query has to stand in a text as it is, in any case. */
export const literalsOf = (query: string): string[] =>
  termsOf(query)
    .filter((term) => hasSign(term) && searchWords(term).trim() !== '')
    .map((term) => term.replace(/[.,;:!?]+$/, '').toLowerCase())
    .slice(0, wordsAtMost);

/** Whether a text that is not indexed yet has all words of a query. */
export function hasWords(text: string, query: string): boolean {
  const present = searchWords(text).toLowerCase().split(' ');
  const wanted = wordsOf(query.toLowerCase());
  const has = ({ word, isWhole }: Word) => present.some((one) => (isWhole ? one === word : one.startsWith(word)));
  const lower = text.toLowerCase();
  return wanted.length > 0 && wanted.every(has) && literalsOf(query).every((literal) => lower.includes(literal));
}
