/** C++, C# and .NET are looked for as they are written; of anything else its words, single letters left out. */
const hasSign = (term: string) => /[\p{L}\p{N}]/u.test(term) && /[+#]|^\.[\p{L}\p{N}]/u.test(term);

const escaped = (term: string) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds what a search has found, with the found parts as its one group; null: there is nothing to find. */
export function searchPattern(query: string): RegExp | null {
  const parts = query
    .split(/\s+/)
    .flatMap((term) =>
      hasSign(term) ? [escaped(term)] : (term.match(/[\p{L}\p{N}]{2,}|\p{Extended_Pictographic}/gu) ?? []),
    );
  return parts.length === 0 ? null : new RegExp(`(${parts.join('|')})`, 'giu');
}
