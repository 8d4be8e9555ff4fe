import { Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';
import { addressEnd, inlineRules } from './inline-rules.ts';
import { withoutRasterData } from './raster-data.ts';

/** Maximum nesting of quotes and lists; deeper trees would exhaust the stack. */
export const deepest = 16;

/**
 * For each mark the lexer scans what follows, so its work is marks times length. Prose stays far below this limit
 * (3,000 characters with a hundred marks); text above it is shown as source.
 */
const mostInlineWork = 1_000_000;
const marks = /[\\`*_[\]<>!~$@:&\n]/g;

function inlineWork(text: string): number {
  const source = withoutRasterData(text);
  let count = 0;
  for (const _ of source.matchAll(marks)) {
    count += 1;
    if (count * source.length > mostInlineWork) break;
  }
  return count * source.length;
}

const widestTable = 100;
const mostCells = 20_000;

/** Lazy continuation lines of a quote may be rescanned once for each line before them. */
const longestLazyQuote = 10_000;
const mostLazyLines = 20;

function isReadableQuote(quote: string): boolean {
  if (quote.length <= longestLazyQuote) return true;
  let lazy = 0;
  for (const line of quote.split('\n')) if (!/^ {0,3}>/.test(line)) lazy += 1;
  return lazy <= mostLazyLines;
}

/**
 * Every decision depends on the block alone, not on the text after it, so that reading in pieces gives the same result
 * as reading at once.
 */
class BoundedTokenizer extends Tokenizer {
  /** Number of enclosing quotes and lists. */
  #depth = -1;
  /** Depth of the current quote, for which marked calls `blockquote` again with lazy continuation lines. */
  #quoteDepth = -1;

  enter() {
    this.#depth += 1;
  }

  leave() {
    this.#depth -= 1;
  }

  get isTooDeep() {
    return this.#depth > deepest;
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    const depth = this.#depth;
    if (depth === this.#quoteDepth) return super.blockquote(source);
    const [quote] = this.rules.block.blockquote.exec(source) ?? [];
    if (quote === undefined) return undefined;
    if (!isReadableQuote(quote)) {
      const raw = quote.replace(/\n$/, '');
      return { type: 'blockquote', raw, text: raw, tokens: [{ type: 'unread', raw }] };
    }
    const outer = this.#quoteDepth;
    this.#quoteDepth = depth;
    try {
      return super.blockquote(source);
    } finally {
      this.#quoteDepth = outer;
    }
  }

  /** Every row gets as many cells as the header, so a wide header over many short rows would expand enormously. */
  override table(source: string): Tokens.Table | undefined {
    const [, head, , body = ''] = this.rules.block.table.exec(source) ?? [];
    if (head === undefined) return undefined;
    const columns = head.split('|').length;
    if (columns > widestTable || columns * body.split('\n').length > mostCells) return undefined;
    return super.table(source);
  }

  override url(source: string): Tokens.Link | undefined {
    const found = super.url(source);
    const end = found ? addressEnd(found.raw) : 0;
    return found && end < found.raw.length ? super.url(source.slice(0, end)) : found;
  }

  /** CommonMark ends a link title at an empty line, even if it is unclosed. */
  override def(source: string): Tokens.Def | undefined {
    const found = super.def(source);
    const empty = found?.title ? source.search(/\n[ \t]*\n/) : -1;
    return found && empty >= 0 && empty < found.raw.length - 1 ? super.def(source.slice(0, empty + 1)) : found;
  }
}

const unread = (source: string): Token => ({ type: 'text', raw: source, text: source });

/** marked's lexer with limits: what exceeds them stays text. */
export class BoundedLexer extends Lexer {
  readonly #tokenizer: BoundedTokenizer;
  #inlineDepth = 0;

  constructor(options: MarkedOptions) {
    const tokenizer = new BoundedTokenizer(options);
    super({ ...options, tokenizer });
    this.#tokenizer = tokenizer;
    tokenizer.rules = { ...tokenizer.rules, inline: { ...tokenizer.rules.inline, ...inlineRules } };
  }

  override blockTokens(source: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], clipped = false): Token[] {
    this.#tokenizer.enter();
    try {
      if (!this.#tokenizer.isTooDeep) return super.blockTokens(source, tokens, clipped);
      tokens.push(unread(source));
      return tokens;
    } finally {
      this.#tokenizer.leave();
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
