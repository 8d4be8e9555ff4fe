const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a text as it was typed, in any case and with any blanks between its words; null: there is nothing to find. */
export function findPattern(query: string): RegExp | null {
  const words = query.split(/\s+/).filter(Boolean).map(escaped);
  return words.length === 0 ? null : new RegExp(words.join('\\s+'), 'giu');
}

const countIn = (text: string, pattern: RegExp) => {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
};

/** Signs that are not drawn: addresses of links, elements without attributes, backslashes before signs, emphasis and code. */
const stripMarkdown = (source: string) =>
  source
    .replaceAll(/\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/<\/?[a-z]{1,7}>/gi, '')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/[*`~]+/g, '');

/** How often a Markdown source has the text, about as often as its reader sees it: counted with and without its signs. */
export function countMatches(source: string, pattern: RegExp): number {
  const count = countIn(source, pattern);
  return /[*`~<[\\]/.test(source) ? Math.max(count, countIn(stripMarkdown(source), pattern)) : count;
}

type Searched = {
  text: string;
  reasoning: string;
  files: readonly { filename: string }[];
  calls?: readonly { input: string; output: string | null }[] | undefined;
};

/** How often a message has the text: in its words, its reasoning, the names of its files and what its tools were asked and answered. */
export function countMatchesInMessage({ text, reasoning, files, calls = [] }: Searched, pattern: RegExp): number {
  const texts = [text, reasoning, ...files.map(({ filename }) => filename)];
  for (const { input, output } of calls) texts.push(input, output ?? '');
  return texts.reduce((sum, each) => sum + countMatches(each, pattern), 0);
}
