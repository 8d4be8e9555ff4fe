/** Terms matched literally (C++, C#, .NET, node.js), by the same rule as the server's search. */
const hasDot = (term: string) => /^[\x21-\x7e]+$/.test(term) && /[A-Za-z0-9]\.[A-Za-z0-9]/.test(term);
const hasSign = (term: string) => /[\p{L}\p{N}]/u.test(term) && (/[+#]|^\.[\p{L}\p{N}]/u.test(term) || hasDot(term));

const escaped = (term: string) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Pattern that matches search hits in one group; null if the query is empty. */
export function searchPattern(query: string): RegExp | null {
  const parts = query
    .split(/\s+/)
    .map((term) => term.replaceAll(/^["'“„«‘([{<]+|[.,;:!?"'”»’)\]}>]+$/g, ''))
    .flatMap((term) =>
      hasSign(term) ? [escaped(term)] : (term.match(/[\p{L}\p{N}]{2,}|\p{Extended_Pictographic}/gu) ?? []),
    );
  return parts.length === 0 ? null : new RegExp(`(${parts.join('|')})`, 'giu');
}
