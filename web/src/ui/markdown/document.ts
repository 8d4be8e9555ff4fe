import { lex, type Piece, type ReferenceLinks } from './parse.ts';
import type { Section } from './tree.ts';
import { weightOf } from './weight.ts';

/**
 * A Markdown text, read up to `end`. Sections keep their identity while a text grows, so only what changed is drawn
 * again.
 */
export type MarkdownDocument = {
  source: string;
  sections: Section[];
  links: ReferenceLinks;
  end: number;
  /** About how many elements the sections become. */
  weight: number;
};

/** Beyond this a text is shown as it is written: it is not read as a page, and reading it would hold up the screen. */
const longestText = 400_000;
/** The same for a single block, and for all blocks, by what they become on the page. */
const heaviestBlock = 8_000;
const heaviestText = 30_000;
/** How much is read at once. Where reading grows with the square, it is the square of this, however long the text is. */
const stride = 8_000;
/** A list may be longer; beyond this it goes on as a second one. */
const longestList = 16_000;

export const isWhole = ({ end, source }: MarkdownDocument) => end === source.length;

const empty = (source: string): MarkdownDocument => ({ source, sections: [], links: {}, end: 0, weight: 0 });

/** All that is not read yet, as it is written. */
function withPlainRest(document: MarkdownDocument): MarkdownDocument {
  const { source, sections, end, weight } = document;
  const raw = source.slice(end);
  if (raw === '') return document;
  const section: Section = { raw, end: source.length, weight: 1, block: { kind: 'plain', text: raw } };
  return { ...document, sections: [...sections, section], end: source.length, weight: weight + 1 };
}

/** Without the last two blocks that show something: where the text goes on, those may become others. */
function settled(pieces: readonly Piece[]): readonly Piece[] {
  const last = pieces.findLastIndex(({ block }) => block !== null);
  const second = pieces.slice(0, Math.max(last, 0)).findLastIndex(({ block }) => block !== null);
  return pieces.slice(0, Math.max(second, 0));
}

const lineEndAfter = (source: string, position: number) => {
  const found = position >= source.length ? -1 : source.indexOf('\n', position);
  return found < 0 ? source.length : found + 1;
};

/** Blocks that have an end of their own; reading them takes as long as they are long. */
const fenced = /^\s*(?:```|~~~|\$\$|\\\[|<)/;
const listItem = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Where a list that is too long is cut in two: before its last item. */
function lastItem(text: string): number {
  let start = text.lastIndexOf('\n', text.length - 2) + 1;
  while (start > 0 && !listItem.test(text.slice(start, start + 12))) start = text.lastIndexOf('\n', start - 2) + 1;
  return start > 0 ? start : text.length;
}

/** The next blocks: as much as is read at once, or one block that is longer. */
function nextPieces({ source, end, links }: MarkdownDocument) {
  const begin = source.slice(end, end + 200);
  const isFenced = fenced.test(begin);
  const isList = listItem.test(begin.trimStart());
  for (let length = stride; ; length *= 2) {
    const stop = lineEndAfter(source, end + length);
    const text = source.slice(end, stop);
    const found = lex(text, links);
    if (stop === source.length) return found;
    const pieces = settled(found.pieces);
    if (pieces.length > 0) return { pieces, links: found.links };
    if (isFenced || (isList && length < longestList)) continue;
    return isList ? lex(text.slice(0, lastItem(text)), links) : found;
  }
}

/** Adds blocks in place; the document is still being made. */
function add(document: MarkdownDocument, pieces: readonly Piece[]) {
  const before = document.sections.length;
  for (const { raw, block } of pieces) {
    document.end += raw.length;
    if (block) {
      const weight = weightOf(block);
      const shown = weight > heaviestBlock ? ({ kind: 'plain', text: raw.trimEnd() } as const) : block;
      document.sections.push({ raw, end: document.end, weight, block: shown });
      document.weight += shown === block ? weight : 1;
      continue;
    }
    const last = document.sections.at(-1);
    if (last && document.sections.length > before) last.end = document.end;
  }
}

function readOn(begun: MarkdownDocument, isOver: () => boolean): MarkdownDocument {
  const document = { ...begun, sections: [...begun.sections] };
  try {
    while (document.end < document.source.length) {
      if (document.weight > heaviestText) return withPlainRest(document);
      const { pieces, links } = nextPieces(document);
      const start = document.end;
      add(document, pieces);
      document.links = links;
      // What ends with something that belongs to no block, such as line breaks, is read all the same.
      if (document.end === start) return withPlainRest(document);
      if (isOver()) break;
    }
    return document;
  } catch {
    // A text that the reader breaks on is still the person's to read.
    return withPlainRest(document);
  }
}

/** What of a document holds where its text has grown. */
function kept(previous: MarkdownDocument, source: string): MarkdownDocument {
  if (!isWhole(previous)) return { ...previous, source };
  const sections = previous.sections.slice(0, -2);
  const weight = sections.reduce((total, section) => total + section.weight, 0);
  return { source, sections, links: previous.links, end: sections.at(-1)?.end ?? 0, weight };
}

/**
 * Reads a Markdown text, until `isOver`; what is not whole then is read on with it as `previous`. `previous` may also be
 * the text as it stood a moment ago: while an answer arrives, only its last two blocks can still change, so only they
 * are read again.
 */
export function readMarkdown(
  text: string,
  previous?: MarkdownDocument,
  isOver: () => boolean = () => false,
): MarkdownDocument {
  const source = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  if (previous && isWhole(previous) && previous.source === source) return previous;
  if (source.length > longestText) return withPlainRest(empty(source));
  const goesOn = previous !== undefined && source.startsWith(previous.source);
  return readOn(goesOn ? kept(previous, source) : empty(source), isOver);
}
