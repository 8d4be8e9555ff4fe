import { lex, type Piece } from './parse.ts';
import { withoutRasterData } from './raster-data.ts';
import { addDefinitions, type Definition, emptyLinks, type Links, linkTargetsKey } from './reference-links.ts';
import type { Section } from './tree.ts';
import { weightOf } from './weight.ts';

/**
 * A Markdown text, parsed up to `end`. Sections keep their identity while the text grows, so only changed ones
 * rerender.
 */
export type MarkdownDocument = {
  source: string;
  sections: Section[];
  /** Link reference definitions in the text, in order. */
  definitions: (Definition & { end: number })[];
  end: number;
  /** Estimated number of elements. */
  weight: number;
  /** Number of leading sections that are final, however the text continues. */
  settled: number;
  /** Number of leading sections parsed with all definitions, including later ones. */
  linked: number;
};

/** Longer texts are shown as source: nobody reads them as a page, and parsing would block the tab. */
const longestText = 400_000;
/** Limits on the estimated elements of one block and of the whole text; above them source is shown. */
const heaviestBlock = 8_000;
const heaviestText = 30_000;
/** Characters parsed at once; doubled until a longer block is complete. */
const stride = 8_000;

export const isWhole = ({ end, source, linked, sections }: MarkdownDocument) =>
  end === source.length && linked === sections.length;

const empty = (source: string): MarkdownDocument => ({
  source,
  sections: [],
  definitions: [],
  end: 0,
  weight: 0,
  settled: 0,
  linked: 0,
});

/** Adds the unparsed rest as source. */
function addPlainRest(document: MarkdownDocument) {
  const { source, end } = document;
  const raw = source.slice(end);
  if (raw === '') return;
  const block = { kind: 'plain', text: raw } as const;
  document.sections.push({ raw, end: source.length, weight: 1, block, labels: [], links: '' });
  document.end = source.length;
  document.weight += 1;
}

const lineEndAfter = (source: string, position: number) => {
  const found = position >= source.length ? -1 : source.indexOf('\n', position);
  return found < 0 ? source.length : found + 1;
};

/**
 * Number of leading pieces that are final. The last two visible ones may still change: the last may continue, and the
 * one before may become part of it. So may a piece that waits for a closing mark.
 */
function countFinalPieces(pieces: readonly Piece[], length: number): number {
  const last = pieces.findLastIndex(({ block }) => block !== null);
  const second = pieces.slice(0, Math.max(last, 0)).findLastIndex(({ block }) => block !== null);
  const final = pieces.at(-1)?.isCut ? pieces.length : Math.max(second, 0);
  let start = 0;
  for (const [index, { raw, decidedBy }] of pieces.slice(0, final).entries()) {
    if (start + decidedBy > length) return index;
    start += raw.length;
  }
  return final;
}

/** The next blocks: one stride, or a single longer block. */
function nextPieces({ source, end }: MarkdownDocument, links: Links) {
  for (let length = stride; ; length *= 2) {
    // With little text left, parse all of it now; otherwise most of it would be parsed twice.
    const stop = source.length - end < 2 * length ? source.length : lineEndAfter(source, end + length);
    const pieces = lex(source.slice(end, stop), links);
    const settled = countFinalPieces(pieces, stop - end);
    if (stop === source.length) return { pieces, settled };
    if (settled > 0) return { pieces: pieces.slice(0, settled), settled };
  }
}

function sectionOf({ raw, block, labels, links }: Piece, end: number): Section | null {
  if (!block) return null;
  const weight = weightOf(block);
  const shown = weight > heaviestBlock ? ({ kind: 'plain', text: raw.trimEnd() } as const) : block;
  return { raw, end, weight: shown === block ? weight : 1, block: shown, labels, links };
}

/** Mutates the document, which is still being built. */
function add(document: MarkdownDocument, pieces: readonly Piece[], settled: number) {
  let previous: Section | undefined;
  for (const [index, piece] of pieces.entries()) {
    if (document.weight > heaviestText) return addPlainRest(document);
    document.end += piece.raw.length;
    for (const definition of piece.definitions) document.definitions.push({ ...definition, end: document.end });
    const section = sectionOf(piece, document.end);
    if (section) {
      if (index < settled && document.settled === document.sections.length) document.settled += 1;
      document.sections.push(section);
      document.weight += section.weight;
      previous = section;
    } else if (previous) previous.end = document.end;
  }
}

function linksOf(definitions: readonly Definition[]): Links {
  const links = emptyLinks();
  addDefinitions(links, definitions);
  return links;
}

/** Parses sections again if they refer to labels defined after them. */
function addLinks(document: MarkdownDocument, isOver: () => boolean) {
  const links = linksOf(document.definitions);
  while (document.linked < document.sections.length) {
    const index = document.linked++;
    const section = document.sections[index];
    if (!section || section.links === linkTargetsKey(section.labels, links)) continue;
    const piece = lex(section.raw, links).find(({ block }) => block !== null);
    const read = piece && sectionOf(piece, section.end);
    if (read) document.sections[index] = { ...read, raw: section.raw, weight: section.weight };
    if (isOver()) return;
  }
}

function continueParsing(started: MarkdownDocument, isOver: () => boolean): MarkdownDocument {
  const document = { ...started, sections: [...started.sections], definitions: [...started.definitions] };
  try {
    const links = linksOf(document.definitions);
    while (document.end < document.source.length) {
      const { pieces, settled } = nextPieces(document, links);
      const start = document.end;
      const known = document.definitions.length;
      add(document, pieces, settled);
      addDefinitions(links, document.definitions.slice(known));
      // The rest belongs to no block, for example line breaks; add it as source.
      if (document.end === start) addPlainRest(document);
      if (document.end < document.source.length && isOver()) return document;
    }
    addLinks(document, isOver);
  } catch {
    // If the lexer throws, the user still gets to read the text.
    addPlainRest(document);
    document.linked = document.sections.length;
  }
  return document;
}

/** The part of a document that stays valid after its text has grown. */
function reusablePart(previous: MarkdownDocument, source: string): MarkdownDocument {
  const sections = previous.sections.slice(0, previous.settled);
  const end = sections.at(-1)?.end ?? 0;
  const definitions = previous.definitions.filter((definition) => definition.end <= end);
  const weight = sections.reduce((total, section) => total + section.weight, 0);
  return { source, sections, definitions, end, weight, settled: sections.length, linked: 0 };
}

/**
 * Parses Markdown until `isOver`; pass an incomplete result as `previous` to continue. `previous` may also be the
 * result for a prefix: while an answer streams in, only its last blocks can change and are parsed again.
 */
export function parseMarkdown(
  text: string,
  previous?: MarkdownDocument,
  isOver: () => boolean = () => false,
): MarkdownDocument {
  const source = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  if (previous?.source === source) return isWhole(previous) ? previous : continueParsing(previous, isOver);
  if (source.length > longestText && withoutRasterData(source).length > longestText) {
    const document = { ...empty(source), linked: 1 };
    addPlainRest(document);
    return document;
  }
  const goesOn = previous !== undefined && source.startsWith(previous.source);
  return continueParsing(goesOn ? reusablePart(previous, source) : empty(source), isOver);
}
