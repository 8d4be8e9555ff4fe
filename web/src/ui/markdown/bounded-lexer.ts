import { Lexer, type Token, type TokensList } from 'marked';

/** Quotes in lists in quotes: more than this is never meant, and deeper trees would exhaust the stack. */
export const deepest = 16;

/**
 * For each mark, reading looks through what follows it, so its work is the marks times the length. Prose stays far
 * below this (3,000 characters with a hundred marks); what is above is shown as it is written.
 */
const mostInlineWork = 1_000_000;
const marks = /[\\`*_[\]<>!~$@:&\n]/g;

function inlineWork(source: string): number {
  let count = 0;
  for (const _ of source.matchAll(marks)) {
    count += 1;
    if (count * source.length > mostInlineWork) break;
  }
  return count * source.length;
}

const lineEnd = (source: string, from: number) => {
  const found = source.indexOf('\n', from);
  return found < 0 ? source.length : found;
};

const widestTable = 100;
const mostCells = 20_000;

/** Every row gets as many cells as the first has, so a wide head over many short rows is far more than was written. */
export function isReadableTable(source: string): boolean {
  const headEnd = source.indexOf('\n') + 1;
  // Only what has the line of dashes is a table at all; the rest need not be counted.
  if (!/^[ \t]*[|:-][ \t|:-]*$/.test(source.slice(headEnd, lineEnd(source, headEnd)))) return true;
  const columns = source.slice(0, headEnd).split('|').length;
  if (columns > widestTable) return false;
  let rows = 0;
  for (const line of source.matchAll(/[^\n]+\n?|\n/g)) {
    if (line[0].trim() === '') break;
    rows += 1;
    if (rows * columns > mostCells) return false;
  }
  return true;
}

/** Lines that a quote takes along without a mark of their own are read once for each line before them. */
const longestQuote = 10_000;

/** Whether a quote ends before it is longer than anyone quotes. */
export function isReadableQuote(source: string): boolean {
  if (source.length <= longestQuote || !/^ {0,3}>/.test(source)) return true;
  return /\n[ \t]*\n/.test(source.slice(0, longestQuote));
}

const unread = (source: string): Token => ({ type: 'text', raw: source, text: source });

/** The reader of Markdown, held to what people write: beyond the bounds, a text stays text. */
export class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;

  override blockTokens(source: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], clipped = false): Token[] {
    if (this.#blockDepth > deepest) {
      tokens.push(unread(source));
      return tokens;
    }
    this.#blockDepth += 1;
    try {
      return super.blockTokens(source, tokens, clipped);
    } finally {
      this.#blockDepth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth > deepest || inlineWork(source) > mostInlineWork) {
      tokens.push(unread(source));
      return tokens;
    }
    this.#inlineDepth += 1;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth -= 1;
    }
  }
}
