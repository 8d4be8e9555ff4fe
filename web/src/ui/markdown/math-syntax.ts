import type { TokenizerExtension, Tokens } from 'marked';
import { wordLetter } from './inline-rules.ts';

/** Longer formulas are not meant; the bound also keeps the search for a closing mark cheap. */
const longest = 4000;

export type MathToken = { type: 'math'; raw: string; source: string; display: boolean };

export const isMathToken = (token: Tokens.Generic | { type: string }): token is MathToken => token.type === 'math';

const token = (raw: string, source: string, display: boolean): MathToken => ({ type: 'math', raw, source, display });

function between(text: string, open: string, close: string, display: boolean): MathToken | undefined {
  if (!text.startsWith(open)) return undefined;
  const end = text.slice(0, longest).indexOf(close, open.length);
  const source = end < 0 ? '' : text.slice(open.length, end).trim();
  return source === '' ? undefined : token(text.slice(0, end + close.length), source, display);
}

const word = new RegExp(`${wordLetter}$`, 'u');
const betweenMarks = new RegExp(
  `^\\$(?![\\s$])((?:\\\\[^\\n]|[^\\\\$\\n]){1,1000}?)(?<!\\s)\\$(?!${wordLetter}|\\{)`,
  'u',
);

/**
 * `$x$`, so that prices and variables (`5$/month or 10$/month`, `$HOME/bin:$PATH`) stay what they are: no space inside the
 * marks, no word against them outside.
 */
function betweenDollars(text: string, before: string): MathToken | undefined {
  if (!text.startsWith('$') || word.test(before)) return undefined;
  const match = betweenMarks.exec(text);
  return match?.[1] === undefined ? undefined : token(match[0], match[1], false);
}

const opening = /^ {0,3}(?:\$\$|\\\[)/gm;

/**
 * How many characters from the beginning of a paragraph on have to be there until it is known to be one: a formula that
 * begins in it takes along whatever is before its closing mark.
 */
export function lengthThatDecides(raw: string): number {
  let last = -1;
  for (const { index } of raw.matchAll(opening)) last = index;
  return last < 0 ? 0 : last + longest;
}

const startOf = (pattern: RegExp) => (text: string) => {
  const index = text.search(pattern);
  return index < 0 ? undefined : index;
};

/** A formula in a paragraph of its own: `$$ … $$` or `\[ … \]`. */
export const mathBlock: TokenizerExtension = {
  name: 'math',
  level: 'block',
  // It can only end the paragraph that is being read: looking further, once for each paragraph, grows with the square.
  start: startOf(/\n {0,3}(?:\$\$|\\\[)|\n[ \t]*\n/),
  tokenizer(text) {
    const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0];
    if (indent === undefined) return undefined;
    const body = text.slice(indent.length);
    const found = between(body, '$$', '$$', true) ?? between(body, '\\[', '\\]', true);
    if (!found) return undefined;
    const rest = /^[ \t]*(?:\n+|$)/.exec(body.slice(found.raw.length));
    return rest ? { ...found, raw: indent + found.raw + rest[0] } : undefined;
  },
};

/** A formula within a line. */
export const mathInline: TokenizerExtension = {
  name: 'math',
  level: 'inline',
  start: startOf(/\$|\\[([]/),
  tokenizer: (text, tokens) =>
    between(text, '$$', '$$', true) ??
    between(text, '\\[', '\\]', true) ??
    between(text, '\\(', '\\)', false) ??
    betweenDollars(text, tokens.at(-1)?.raw.slice(-2) ?? ''),
};
