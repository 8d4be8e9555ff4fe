import { decodeHTMLStrict } from 'entities/decode';
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';
import { BoundedLexer, deepest } from './bounded-lexer.ts';
import { definitionOf, footnote, footnoteMark, isFootnoteMark, isFootnoteToken } from './footnote-syntax.ts';
import { decidingLength, isMathToken, mathBlock, mathInline, maxFormulaLength } from './math/math-syntax.ts';
import { type Definition, type Links, labelsIn, linkTargetsKey } from './reference-links.ts';
import { details, isDetailsToken, matchTags } from './safe-html.ts';
import { safeLink } from './safe-link.ts';
import { splitAtSourceMarks, stripSourceMarks } from './source-marks.ts';
import type { Block, Inline, ListItem } from './tree.ts';

/** Decodes HTML character references such as `&amp;` and `&#8364;`; all that HTML defines, with their semicolon. */
const decodeReferences = (text: string): string => (text.includes('&') ? decodeHTMLStrict(text) : text);

const marked = new Marked({ gfm: true }, { extensions: [mathBlock, mathInline, footnote, footnoteMark, details] });

const known: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
]);
const isKnown = (token: Token): token is MarkedToken => known.has(token.type);

/** How models link to a file that their code created. */
const inSandbox = /^sandbox:\/mnt\/data\/[^\s]*$/;

function inlineOf(token: Token, depth: number): Inline[] {
  if (isMathToken(token)) return [{ kind: 'math', source: stripSourceMarks(token.source), display: token.display }];
  if (isFootnoteMark(token)) return [{ kind: 'footnote', label: token.label }];
  if (!isKnown(token) || depth > deepest) return splitAtSourceMarks(token.raw);
  switch (token.type) {
    case 'strong':
      return [{ kind: 'strong', children: inlines(token.tokens, depth + 1) }];
    case 'em':
      return [{ kind: 'emphasis', children: inlines(token.tokens, depth + 1) }];
    case 'del':
      return [{ kind: 'deleted', children: inlines(token.tokens, depth + 1) }];
    case 'codespan':
      return [{ kind: 'code', text: stripSourceMarks(token.text) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'escape':
      return splitAtSourceMarks(token.text);
    case 'link': {
      const address = token.autolink ? token.href : decodeReferences(token.href);
      const href = safeLink(address);
      const children = inlines(token.tokens, depth + 1);
      // The label names the file, which is shown with the answer; the sandbox path no longer exists.
      if (href === null && inSandbox.test(address)) return children;
      // Shows the source of an unsafe link, so that its URL is not hidden behind a harmless label.
      return href === null ? splitAtSourceMarks(token.raw) : [{ kind: 'link', href, children }];
    }
    case 'image':
      return [
        {
          kind: 'image',
          address: stripSourceMarks(decodeReferences(token.href)),
          alt: stripSourceMarks(decodeReferences(token.text)),
        },
      ];
    case 'html':
      return /^<br ?\/?>$/i.test(token.text.trim()) ? [{ kind: 'break' }] : splitAtSourceMarks(token.raw);
    case 'text':
      if (token.tokens) return inlines(token.tokens, depth + 1);
      return splitAtSourceMarks(decodeReferences(token.text));
    case 'checkbox':
      return [];
    default:
      return splitAtSourceMarks(token.raw);
  }
}

function addInline(result: Inline[], parts: readonly Inline[]) {
  for (const next of parts) {
    const last = result.at(-1);
    if (next.kind === 'text' && last?.kind === 'text') last.text += next.text;
    else result.push(next);
  }
}

function inlines(tokens: readonly Token[], depth: number): Inline[] {
  const pairs = depth > deepest ? undefined : matchTags(tokens);
  const result: Inline[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const pair = pairs?.get(index);
    if (pair) {
      const { kind, end } = pair;
      result.push({ kind, children: inlines(tokens.slice(index + 1, end), depth + 1) });
      index = end;
    } else if (token) addInline(result, inlineOf(token, depth));
  }
  return result;
}

function itemOf(token: Extract<MarkedToken, { type: 'list_item' }>, depth: number): ListItem {
  return { checked: token.task ? token.checked === true : null, blocks: blocks(token.tokens, depth) };
}

function blockOf(token: Token, depth: number): Block | null {
  if (isMathToken(token)) return { kind: 'math', source: stripSourceMarks(token.source) };
  if (isFootnoteToken(token)) return { kind: 'footnote', label: token.label, blocks: blocks(token.tokens, depth + 1) };
  if (isDetailsToken(token)) {
    const summary = inlines(token.summary, depth);
    return { kind: 'details', summary, blocks: blocks(token.tokens, depth + 1), closed: token.closed };
  }
  if (!isKnown(token) || depth > deepest) return { kind: 'plain', text: stripSourceMarks(token.raw) };
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'hr':
      return { kind: 'rule' };
    case 'paragraph':
      return { kind: 'paragraph', children: inlines(token.tokens, depth) };
    case 'heading':
      return { kind: 'heading', depth: token.depth, children: inlines(token.tokens, depth) };
    case 'code':
      if (isFormula(token)) return { kind: 'math', source: stripSourceMarks(token.text) };
      return {
        kind: 'code',
        language: languageOf(token.lang),
        text: stripSourceMarks(token.text),
        closed: isClosed(token.raw),
      };
    case 'blockquote':
      return { kind: 'quote', blocks: blocks(token.tokens, depth + 1) };
    case 'list':
      return {
        kind: 'list',
        start: token.ordered ? Number(token.start) : null,
        items: token.items.map((item) => itemOf(item, depth + 1)),
      };
    case 'table':
      return {
        kind: 'table',
        align: token.align,
        header: token.header.map((cell) => inlines(cell.tokens, depth)),
        rows: token.rows.map((row) => row.map((cell) => inlines(cell.tokens, depth))),
      };
    case 'html':
      // A line with nothing but `<br>`.
      if (/^(?:\s*<br ?\/?>)+\s*$/i.test(token.text)) return null;
      return { kind: 'plain', text: stripSourceMarks(token.text.trimEnd()) };
    case 'text':
      return { kind: 'line', children: inlineOf(token, depth) };
    default:
      // An inline token between blocks, as in a tight list item, becomes a line.
      return { kind: 'line', children: inlineOf(token, depth) };
  }
}

/** A closed fence with the language 'math'. */
const isFormula = ({ lang, text, raw }: Tokens.Code) =>
  languageOf(lang) === 'math' && text.trim() !== '' && text.length <= maxFormulaLength && isClosed(raw);

const blocks = (tokens: Token[], depth: number): Block[] =>
  tokens.map((token) => blockOf(token, depth)).filter((block) => block !== null);

const languageOf = (info: string | undefined): string =>
  /^[\w+#.-]{1,30}/.exec(info?.trim() ?? '')?.[0].toLowerCase() ?? '';

/** True once the closing fence has arrived. */
function isClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  return fence === undefined || (raw.trimEnd().includes('\n') && raw.trimEnd().endsWith(fence));
}

/** Characters; a longer list continues as a second one. */
const longestList = 16_000;

export type Piece = {
  raw: string;
  /** null if it shows nothing. */
  block: Block | null;
  definitions: Definition[];
  labels: string[];
  links: string;
  /** Number of leading characters that decide what kind of block it is. */
  decidedBy: number;
  /** Ends inside a list, before an item; the rest is not parsed yet. */
  isCut: boolean;
};

/** Link definitions within a block. */
function definitionsIn(token: Token): Definition[] {
  if (isFootnoteToken(token)) return [definitionOf(token.label), ...token.tokens.flatMap(definitionsIn)];
  if (isDetailsToken(token)) return token.tokens.flatMap(definitionsIn);
  if (!isKnown(token)) return [];
  if (token.type === 'def') {
    const { tag, href, title } = token;
    return [{ label: tag, link: { href, title } }];
  }
  if (token.type === 'list') return token.items.flatMap(definitionsIn);
  const holdsBlocks = token.type === 'blockquote' || token.type === 'list_item';
  return holdsBlocks ? token.tokens.flatMap(definitionsIn) : [];
}

/** Offset at which a list that is too long is split, before an item. */
function splitOffset({ items, raw }: Tokens.List): number {
  if (raw.length <= longestList) return raw.length;
  let end = items[0]?.raw.length ?? raw.length;
  for (const item of items.slice(1)) {
    if (end + item.raw.length > longestList) break;
    end += item.raw.length;
  }
  return end;
}

/** Parses Markdown into pieces, in order. A list that is too long ends the result where it is split. */
export function lex(source: string, links: Links): Piece[] {
  const lexer = new BoundedLexer(marked.defaults);
  for (const label of labelsIn(source)) {
    const link = links[label];
    if (link) lexer.tokens.links[label] = link;
  }
  const tokens = lexer.lex(source);
  let start = 0;
  for (const token of tokens) {
    const cut = isKnown(token) && token.type === 'list' ? splitOffset(token) : token.raw.length;
    start += cut;
    if (cut === token.raw.length) continue;
    const pieces = lex(source.slice(0, start), links);
    return pieces.map((piece, index) => ({ ...piece, isCut: index === pieces.length - 1 }));
  }
  return tokens.map((token) => {
    const labels = labelsIn(token.raw);
    return {
      raw: token.raw,
      block: blockOf(token, 0),
      definitions: definitionsIn(token),
      labels,
      links: linkTargetsKey(labels, tokens.links),
      decidedBy: token.type === 'paragraph' || token.type === 'heading' ? decidingLength(token.raw) : 0,
      isCut: false,
    };
  });
}
