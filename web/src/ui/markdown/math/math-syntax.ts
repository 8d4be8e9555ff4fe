import type { TokenizerExtension, Tokens } from 'marked';
import { wordLetter } from '#web/ui/markdown/inline-rules.ts';

/** Longer text is no formula; the limit also bounds the search for a closing mark. */
export const maxFormulaLength = 4000;

type MathToken = { type: 'math'; raw: string; source: string; display: boolean };

export const isMathToken = (token: Tokens.Generic | { type: string }): token is MathToken => token.type === 'math';

const token = (raw: string, source: string, display: boolean): MathToken => ({ type: 'math', raw, source, display });

function between(text: string, open: string, close: string, display: boolean): MathToken | undefined {
  if (!text.startsWith(open)) return undefined;
  const end = text.slice(0, maxFormulaLength).indexOf(close, open.length);
  const source = end < 0 ? '' : text.slice(open.length, end).trim();
  return source === '' ? undefined : token(text.slice(0, end + close.length), source, display);
}

const word = new RegExp(`${wordLetter}$`, 'u');
const betweenMarks = new RegExp(
  `^\\$(?![\\s$])((?:\\\\[^\\n]|[^\\\\$\\n]){1,1000}?)(?<!\\s)\\$(?!${wordLetter}|\\{)`,
  'u',
);

/**
 * `$x$`, but not prices and variables (`5$/month or 10$/month`, `$HOME/bin:$PATH`): no space inside the marks, no word
 * adjacent outside.
 */
function betweenDollars(text: string, before: string): MathToken | undefined {
  if (!text.startsWith('$') || word.test(before)) return undefined;
  const match = betweenMarks.exec(text);
  return match?.[1] === undefined ? undefined : token(match[0], match[1], false);
}

/** LaTeX environments that KaTeX renders. */
const environment = String.raw`\\begin\{((?:align(?:at|ed(?:at)?)?|array|[bBpvV]?matrix|smallmatrix|CD|d?r?cases|equation|gather(?:ed)?|split|subarray)\*?)\}`;
const beginning = new RegExp(`^${environment}`);

function environmentAt(text: string): MathToken | undefined {
  const [begin, name] = beginning.exec(text) ?? [];
  return begin === undefined || name === undefined ? undefined : withMarks(text, begin, `\\end{${name}}`);
}

/** Keeps the marks as part of the formula. */
function withMarks(text: string, open: string, close: string): MathToken | undefined {
  const found = between(text, open, close, true);
  return found && { ...found, source: found.raw };
}

/** A chemical formula or unit, `\ce{H2O}`, with balanced braces. */
function chemistry(text: string): MathToken | undefined {
  if (!/^\\(?:ce|pu)\{/.test(text)) return undefined;
  let depth = 0;
  for (let index = 3; index < Math.min(text.length, 500) && text[index] !== '\n'; index++) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return token(text.slice(0, index + 1), text.slice(0, index + 1), false);
  }
  return undefined;
}

const opening = new RegExp(`^ {0,3}(?:\\$\\$|\\\\\\[|${environment})`, 'gm');

/**
 * Number of characters from the start of a paragraph that must be known before it counts as one: a formula in it takes
 * everything up to its closing mark.
 */
export function decidingLength(raw: string): number {
  let last = -1;
  for (const { index } of raw.matchAll(opening)) last = index;
  return last < 0 ? 0 : last + maxFormulaLength;
}

const startOf = (pattern: RegExp) => (text: string) => {
  const index = text.search(pattern);
  return index < 0 ? undefined : index;
};

/** A block formula: `$$ … $$` or `\[ … \]`. */
export const mathBlock: TokenizerExtension = {
  name: 'math',
  level: 'block',
  // Stop at the end of the paragraph: scanning further for every paragraph would be quadratic.
  start: startOf(new RegExp(`\\n {0,3}(?:\\$\\$|\\\\\\[|${environment})|\\n[ \\t]*\\n`)),
  tokenizer(text) {
    const indent = /^ {0,3}(?=\$\$|\\\[|\\begin\{)/.exec(text)?.[0];
    if (indent === undefined) return undefined;
    const body = text.slice(indent.length);
    const found = between(body, '$$', '$$', true) ?? between(body, '\\[', '\\]', true) ?? environmentAt(body);
    if (!found) return undefined;
    const rest = /^[ \t]*(?:\n+|$)/.exec(body.slice(found.raw.length));
    return rest ? { ...found, raw: indent + found.raw + rest[0] } : undefined;
  },
};

/** An inline formula. */
export const mathInline: TokenizerExtension = {
  name: 'math',
  level: 'inline',
  start: startOf(/\$|\\[([]|\\(?:begin|ce|pu)\{/),
  tokenizer: (text, tokens) =>
    between(text, '$$', '$$', true) ??
    between(text, '\\[', '\\]', true) ??
    between(text, '\\(', '\\)', false) ??
    environmentAt(text) ??
    chemistry(text) ??
    betweenDollars(text, tokens.at(-1)?.raw.slice(-2) ?? ''),
};
