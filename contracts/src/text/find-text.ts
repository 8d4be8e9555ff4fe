const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a text as typed, ignoring case and the amount of whitespace between words; null: nothing to find. */
export function findPattern(query: string): RegExp | null {
  const words = query.split(/\s+/).filter(Boolean).map(escaped);
  return words.length === 0 ? null : new RegExp(words.join('\\s+'), 'giu');
}

const countIn = (text: string, pattern: RegExp) => {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
};

/**
 * Removes Markdown syntax that is not shown: link targets, tags without attributes, backslash escapes, emphasis and
 * code.
 */
const stripMarkdown = (source: string) =>
  source
    .replaceAll(/\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/<\/?[a-z]{1,7}>/gi, '')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/[*`~]+/g, '');

/** Approximates how often a reader sees the text in a Markdown source, by counting with and without its syntax. */
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

/** Counts the text in a message: its text, reasoning, file names, and the input and output of its tools. */
export function countMatchesInMessage({ text, reasoning, files, calls = [] }: Searched, pattern: RegExp): number {
  const texts = [text, reasoning, ...files.map(({ filename }) => filename)];
  for (const { input, output } of calls) texts.push(input, output ?? '');
  return texts.reduce((sum, each) => sum + countMatches(each, pattern), 0);
}
