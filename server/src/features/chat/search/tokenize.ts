import { searchWords } from '#server/db/search-words';

/** Words of a query that are used. */
const maxWords = 12;

/** A word of a query in the form that the index has; unless `isWhole` it matches as a prefix. */
export type Word = { word: string; isWhole: boolean };

/** A dot inside a term, as in node.js and 3.14. ASCII only, because SQLite's lower() is. */
const hasDot = (term: string) => /^[\x21-\x7e]+$/.test(term) && /[A-Za-z0-9]\.[A-Za-z0-9]/.test(term);

/** The index drops these signs, but C++, C#, .NET and node.js mean more than the words c, net, node and js. */
const hasSign = (term: string) => /[+#]|^\.[\p{L}\p{N}]/u.test(term) || hasDot(term);

/** The terms of a query without the quotes, brackets and punctuation around them. */
const termsOf = (query: string) =>
  query
    .split(/\s+/)
    .map((term) => term.replaceAll(/^["'“„«‘([{<]+|[.,;:!?"'”»’)\]}>]+$/g, ''))
    .filter(Boolean);

function wordsOfTerm(term: string): Word[] {
  const words = searchWords(term).split(' ').filter(Boolean);
  const endsInWord = /[\p{L}\p{N}\p{M}]$/u.test(term);
  return words.map((word, index) => ({
    word,
    // A sign after a word shows that it is typed completely.
    isWhole: hasSign(term) && (index < words.length - 1 || !endsInWord),
  }));
}

/** The words of a query in the form that the index has. */
export const wordsOf = (query: string): Word[] => termsOf(query).flatMap(wordsOfTerm).slice(0, maxWords);

/** The terms of a query that a text must contain literally, ignoring case. */
export const literalsOf = (query: string): string[] =>
  termsOf(query)
    .filter((term) => hasSign(term) && searchWords(term).trim() !== '')
    .map((term) => term.toLowerCase())
    .slice(0, maxWords);

/** True if a text that is not indexed contains all words of a query. */
export function hasWords(text: string, query: string): boolean {
  const present = searchWords(text).toLowerCase().split(' ');
  const wanted = wordsOf(query.toLowerCase());
  const has = ({ word, isWhole }: Word) => present.some((one) => (isWhole ? one === word : one.startsWith(word)));
  const lower = text.toLowerCase();
  return wanted.length > 0 && wanted.every(has) && literalsOf(query).every((literal) => lower.includes(literal));
}
