import { hasSign, mayContinue, type SearchTerm, searchTerms, spacedWords } from '@roster/contracts/text/search-query';
import { searchWords } from '#server/db/search-words';

/** Words of a query that are used. */
const maxWords = 12;

/** Adjacent words in the form that the index has; unless `isWhole` the last one matches as a prefix. */
export type Phrase = { words: readonly string[]; isWhole: boolean };

/** Conditions on one text: all `phrases` and `literals`, and none of the others. Literals are in lower case. */
export type TextQuery = {
  phrases: readonly Phrase[];
  literals: readonly string[];
  excludedPhrases: readonly Phrase[];
  excludedLiterals: readonly string[];
};

/** `anywhere`: for a title or a message. `title`: for the title alone, besides. */
export type SearchQuery = { anywhere: TextQuery; title: TextQuery };

const indexWords = (text: string) => searchWords(text).split(' ').filter(Boolean);

function phrasesOfWord(term: string): Phrase[] {
  const words = indexWords(term);
  const endsInWord = /[\p{L}\p{N}\p{M}]$/u.test(term);
  return words.map((word, index) => ({
    words: [word],
    // A sign after a word shows that it is typed completely.
    isWhole: hasSign(term) && (index < words.length - 1 || !endsInWord),
  }));
}

/** The words of a text in order, as one phrase. */
function exactPhrase(text: string): Phrase[] {
  const words = indexWords(text).slice(0, maxWords);
  return words.length === 0 ? [] : [{ words, isWhole: !mayContinue(text.trimEnd()) }];
}

const phrasesOf = ({ text, isPhrase }: SearchTerm) =>
  isPhrase ? exactPhrase(text) : spacedWords(text).flatMap(phrasesOfWord);
const literalsOf = ({ text }: SearchTerm) =>
  spacedWords(text)
    .filter((term) => hasSign(term) && indexWords(term).length > 0)
    .map((term) => term.toLowerCase());

function textQuery(terms: readonly SearchTerm[]): TextQuery {
  const wanted = terms.filter(({ isExcluded }) => !isExcluded);
  const excluded = terms.filter(({ isExcluded }) => isExcluded);
  // The index has C for C++, so only the text tells them apart.
  const isLiteral = (term: SearchTerm) => literalsOf(term).length > 0;
  return {
    phrases: wanted.flatMap(phrasesOf).slice(0, maxWords),
    literals: wanted.flatMap(literalsOf).slice(0, maxWords),
    excludedPhrases: excluded
      .filter((term) => !isLiteral(term))
      .flatMap(({ text }) => exactPhrase(text))
      .slice(0, maxWords),
    excludedLiterals: excluded
      .filter(isLiteral)
      .flatMap(({ text }) => spacedWords(text).join(' ').toLowerCase())
      .slice(0, maxWords),
  };
}

const queryOfTerms = (terms: readonly SearchTerm[]): SearchQuery => ({
  anywhere: textQuery(terms.filter(({ place }) => place === 'anywhere')),
  title: textQuery(terms.filter(({ place }) => place === 'title')),
});

/** Reads a query as the index needs it. */
export const searchQueryOf = (query: string): SearchQuery => queryOfTerms(searchTerms(query));

/** False for a query without wanted words: it finds nothing, unless words are excluded. */
export const hasWords = ({ anywhere, title }: SearchQuery) => anywhere.phrases.length + title.phrases.length > 0;

/** One query for each excluded term that finds what contains it. */
export const excludedQueries = (query: string): SearchQuery[] =>
  searchTerms(query)
    .filter(({ isExcluded }) => isExcluded)
    .slice(0, maxWords)
    .map((term) => queryOfTerms([{ ...term, isExcluded: false, isPhrase: true }]))
    .filter(hasWords);

/** The conditions on a title that is found by itself: it fulfills both parts. */
export const asOneTitle = ({ anywhere, title }: SearchQuery): TextQuery => ({
  phrases: [...anywhere.phrases, ...title.phrases],
  literals: [...anywhere.literals, ...title.literals],
  excludedPhrases: [...anywhere.excludedPhrases, ...title.excludedPhrases],
  excludedLiterals: [...anywhere.excludedLiterals, ...title.excludedLiterals],
});

/** The conditions on the title of a thread whose message is found. */
export const besideMessage = (query: SearchQuery): TextQuery => ({
  ...asOneTitle(query),
  phrases: query.title.phrases,
  literals: query.title.literals,
});

function hasPhrase(present: readonly string[], { words, isWhole }: Phrase) {
  const last = words.length - 1;
  const fits = (word: string | undefined, at: number) =>
    at === last && !isWhole ? word?.startsWith(words[at] ?? '') : word === words[at];
  return present.some((_, start) => words.every((_word, at) => fits(present[start + at], at)));
}

/** True if a text that is not indexed fulfills the conditions. */
export function isMatch(text: string, { phrases, literals, excludedPhrases, excludedLiterals }: TextQuery): boolean {
  const present = indexWords(text.toLowerCase());
  const lower = text.toLowerCase();
  const lowered = (phrase: Phrase) => ({ ...phrase, words: phrase.words.map((word) => word.toLowerCase()) });
  return (
    phrases.every((phrase) => hasPhrase(present, lowered(phrase))) &&
    literals.every((literal) => lower.includes(literal)) &&
    !excludedPhrases.some((phrase) => hasPhrase(present, lowered(phrase))) &&
    !excludedLiterals.some((literal) => lower.includes(literal))
  );
}
