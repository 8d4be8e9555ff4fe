import type { Token, TokenizerExtension, Tokens } from 'marked';

/** HTML elements allowed without attributes: they only format text. */
const elements = {
  b: 'strong',
  strong: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  del: 'deleted',
  s: 'deleted',
  sub: 'sub',
  sup: 'sup',
  kbd: 'kbd',
  u: 'u',
  mark: 'mark',
  ins: 'ins',
  small: 'small',
} as const;
type Name = keyof typeof elements;
type ElementKind = (typeof elements)[Name];
const isName = (name: string | undefined): name is Name => name !== undefined && Object.hasOwn(elements, name);

/** For each opening tag, by token index: its kind and the index of the closing tag. */
export function matchTags(tokens: readonly Token[]): Map<number, { kind: ElementKind; end: number }> {
  const pairs = new Map<number, { kind: ElementKind; end: number }>();
  const open: { name: Name; index: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'html') continue;
    const [, slash, written] = /^<(\/?)([a-z]+)>$/i.exec(token.raw) ?? [];
    const name = written?.toLowerCase();
    if (!isName(name)) continue;
    if (slash === '') {
      open.push({ name, index });
      continue;
    }
    const started = open.findLastIndex((each) => each.name === name);
    const [opening] = started < 0 ? [] : open.splice(started);
    if (opening) pairs.set(opening.index, { kind: elements[name], end: index });
  }
  return pairs;
}

type DetailsToken = {
  type: 'details';
  raw: string;
  summary: Token[];
  tokens: Token[];
  /** The closing tag has arrived. */
  closed: boolean;
};
export const isDetailsToken = (token: Tokens.Generic | { type: string }): token is DetailsToken =>
  token.type === 'details';

type DetailsEnd = { body: number; end: number; closed: boolean };

/** Lines outside fenced code, with their offsets. */
function* linesOutsideCode(text: string, from: number) {
  let fence = '';
  for (let start = from; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const stop = found < 0 ? text.length : found + 1;
    const line = text.slice(start, stop);
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '' && mark === '') yield { line, start };
    else if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    start = stop;
  }
}

/** Offsets where the content ends and where the text after the closing tag starts. */
function endOfDetails(text: string, from: number): DetailsEnd {
  let depth = 1;
  for (const { line, start } of linesOutsideCode(text, from)) {
    for (const { 0: tag, index } of line.matchAll(/<\/?details(?: open)?>/gi)) {
      depth += tag.startsWith('</') ? -1 : 1;
      if (depth === 0) return { body: start + index, end: start + index + tag.length, closed: true };
    }
  }
  return { body: text.length, end: text.length, closed: false };
}

/** A collapsible part: `<details><summary>Title</summary> … </details>`. */
export const details: TokenizerExtension = {
  name: 'details',
  level: 'block',
  tokenizer(text): DetailsToken | undefined {
    const [begin] = /^ {0,3}<details(?: open)?>[ \t]*\n?/i.exec(text) ?? [];
    if (begin === undefined) return undefined;
    const { body, end, closed } = endOfDetails(text, begin.length);
    const inside = text.slice(begin.length, body);
    const [head = '', title = ''] = /^\s*<summary>([^\n]{0,500}?)<\/summary>/i.exec(inside) ?? [];
    const { state } = this.lexer;
    const { top } = state;
    state.top = true;
    const tokens = this.lexer.blockTokens(inside.slice(head.length).replace(/^\s*\n/, ''), []);
    state.top = top;
    return { type: 'details', raw: text.slice(0, end), summary: this.lexer.inline(title.trim()), tokens, closed };
  },
};
