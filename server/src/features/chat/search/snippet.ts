import { searchPattern, wantedTerms } from '@roster/contracts/text/search-query';
import { graphemeStart, truncate } from '@roster/contracts/text/truncate';

const firstTerm = /[\p{L}\p{N}\p{M}]+|\p{RGI_Emoji}|\p{Extended_Pictographic}/v;

/** The position of the first matching word; 0 if the text spells it differently. */
function placeOf(query: string, text: string): number {
  const at = searchPattern(query)?.exec(text)?.index;
  if (at !== undefined) return at;
  const [term] = wantedTerms(query, 'message').flatMap((one) => firstTerm.exec(one.text)?.[0] ?? []);
  return term === undefined ? 0 : Math.max(0, text.toLowerCase().indexOf(term.toLowerCase()));
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const withoutMarkdown = (text: string) =>
  text
    .replace(/^ *(#{1,6}|>|[-*+]) +/gm, '')
    .replace(/\*{1,3}(?=\S)([^*\n]*[^*\s])\*{1,3}/g, '$1')
    .replace(/`+/g, '');

const length = 140;

/** An excerpt around the first matching word, as one line without Markdown. */
export function snippetOf(text: string, query: string): string {
  const around = graphemeStart(text, placeOf(query, text) - length);
  const until = graphemeStart(text, around + 3 * length);
  const plain = inOneLine(withoutMarkdown(text.slice(around, until)));
  const at = placeOf(query, plain);
  const about = graphemeStart(plain, at - Math.floor(length / 3));
  // Starts at a word boundary, if there is one before the match.
  const from = about === 0 ? 0 : about + plain.slice(about, at).indexOf(' ') + 1;
  const before = around > 0 || from > 0 ? '… ' : '';
  const after = until < text.length || from + length < plain.length ? ' …' : '';
  return `${before}${truncate(plain.slice(from), length).trim()}${after}`;
}
