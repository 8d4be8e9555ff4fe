/**
 * A term of a search as typed. `isPhrase`: in quotes, so its words are matched whole and in order. `isExcluded`: after
 * a minus.
 */
export type SearchTerm = { text: string; isPhrase: boolean; isExcluded: boolean; place: 'anywhere' | 'title' };

/** A piece of a query; spaces are pieces without a term, so that all sources together are the query. */
type SearchPiece = { source: string; term: SearchTerm | null };

/** A quote without its end is a part of a word: results stay while a phrase is being typed. */
const pieces =
  /\s+|(?<minus>-(?![-\s]|$))?(?<title>title:(?=\S))?(?:"(?<straight>[^"]*)"|[“„](?<curly>[^“”]*)[“”]|«(?<guillemets>[^»]*)»|「(?<corners>[^」]*)」|(?<word>\S+))/giu;

/** Splits a query into its terms: `word`, `"exact words"`, `-not`, `title:word`, and combinations of them. */
export const parseSearch = (query: string): SearchPiece[] =>
  [...query.matchAll(pieces)].map(({ 0: source, groups = {} }) => {
    const { minus, title, straight, curly, guillemets, corners, word } = groups;
    const phrase = straight ?? curly ?? guillemets ?? corners;
    const text = phrase ?? word;
    if (text === undefined) return { source, term: null };
    return {
      source,
      term: {
        text,
        isPhrase: phrase !== undefined,
        isExcluded: minus !== undefined,
        place: title === undefined ? 'anywhere' : 'title',
      },
    };
  });

export const searchTerms = (query: string): SearchTerm[] => parseSearch(query).flatMap(({ term }) => term ?? []);

/** A dot inside a term, as in node.js and 3.14. ASCII only, because SQLite's lower() is. */
const hasDot = (term: string) => /^[\x21-\x7e]+$/.test(term) && /[A-Za-z0-9]\.[A-Za-z0-9]/.test(term);

/** The index drops these signs, but C++, C#, .NET and node.js mean more than the words c, net, node and js. */
export const hasSign = (term: string) =>
  /[\p{L}\p{N}]/u.test(term) && (/[+#]|^\.[\p{L}\p{N}]/u.test(term) || hasDot(term));

/** The words between spaces without the quotes, brackets and punctuation around them. */
export const spacedWords = (text: string): string[] =>
  text
    .split(/\s+/)
    .map((term) => term.replaceAll(/^["'“„«‘([{<]+|[.,;:!?"'”»’)\]}>]+$/g, ''))
    .filter(Boolean);

/** Scripts without spaces between words, or with attached endings: the end of a word cannot be seen there. */
const unspacedEnd =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]$/u;

/** True if an exact text also matches where its script continues without a space. */
export const mayContinue = (text: string) => unspacedEnd.test(text);

/** The terms that a result shows: those of a title, or of a message. */
export const wantedTerms = (query: string, where: 'title' | 'message'): SearchTerm[] =>
  searchTerms(query).filter(({ isExcluded, place }) => !isExcluded && (place === 'anywhere' || where === 'title'));

const escaped = (term: string) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const word = '[\\p{L}\\p{N}\\p{M}]';

/** A phrase as the index reads it, with any signs between its words. */
function phrasePattern(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu);
  if (!words) return text.match(/\p{Extended_Pictographic}/gu) ?? [];
  if (hasSign(text)) return [spacedWords(text).map(escaped).join('\\s+')];
  return [`(?<!${word})${words.join('[^\\p{L}\\p{N}]+')}${mayContinue(text.trimEnd()) ? '' : `(?!${word})`}`];
}

const wordPatterns = (text: string) =>
  spacedWords(text).flatMap((one) =>
    hasSign(one) ? [escaped(one)] : (one.match(/[\p{L}\p{N}]{2,}|\p{Extended_Pictographic}/gu) ?? []),
  );

/** Pattern that matches search hits in one group; null if there is nothing to mark. */
export function searchPattern(query: string, where: 'title' | 'message' = 'message'): RegExp | null {
  const parts = wantedTerms(query, where).flatMap(({ text, isPhrase }) =>
    isPhrase ? phrasePattern(text) : wordPatterns(text),
  );
  return parts.length === 0 ? null : new RegExp(`(${parts.join('|')})`, 'giu');
}
