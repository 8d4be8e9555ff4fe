import type { Token, TokenizerExtension, Tokens } from 'marked';
import { addDefinitions, type Definition, normalizeLabel } from './reference-links.ts';

type FootnoteToken = { type: 'footnote'; raw: string; label: string; tokens: Token[] };
type FootnoteMarkToken = { type: 'footnoteMark'; raw: string; label: string };

export const isFootnoteToken = (token: Tokens.Generic | { type: string }): token is FootnoteToken =>
  token.type === 'footnote';
export const isFootnoteMark = (token: Tokens.Generic | { type: string }): token is FootnoteMarkToken =>
  token.type === 'footnoteMark';

/** A footnote as an entry among the link labels, without a URL. */
export const definitionOf = (label: string): Definition => ({
  label: normalizeLabel(`^${label}`),
  link: { href: '', title: null },
});

const beginning = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*/;
/** Matches lines that end a footnote without an empty line before them. */
const otherBlock = /^ {0,3}(?:\[\^[^\]\s]{1,100}\]:|#{1,6}\s|>|`{3}|~{3}|\$\$|\\\[|(?:[-*_][ \t]*){3,}$)/;
const isEmpty = (line: string) => line.trim() === '';
const isIndented = (line: string) => /^(?: {2}|\t)/.test(line);

/** Length of a footnote: adjacent lines, and indented ones after an empty line. */
function lengthOfFootnote(text: string): number {
  let end = 0;
  let isAfterEmpty = false;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const stop = found < 0 ? text.length : found + 1;
    const line = text.slice(start, stop);
    const goesOn = isEmpty(line) || isIndented(line) || (!isAfterEmpty && !otherBlock.test(line));
    if (start > 0 && !goesOn) break;
    isAfterEmpty = isEmpty(line);
    start = stop;
    if (!isAfterEmpty) end = stop;
  }
  return end;
}

/** `[^1]: A note.`, rendered in place. */
export const footnote: TokenizerExtension = {
  name: 'footnote',
  level: 'block',
  // Searches the current paragraph only, as for formulas.
  start(text) {
    const index = text.search(/\n {0,3}\[\^[^\]\s]{1,100}\]:|\n[ \t]*\n/);
    return index < 0 ? undefined : index;
  },
  tokenizer(text): FootnoteToken | undefined {
    const [begin = '', label] = beginning.exec(text) ?? [];
    if (label === undefined) return undefined;
    const raw = text.slice(0, lengthOfFootnote(text));
    const body = raw.slice(begin.length).replaceAll(/^(?: {1,4}|\t)/gm, '');
    addDefinitions(this.lexer.tokens.links, [definitionOf(label)]);
    const { state } = this.lexer;
    const { top } = state;
    state.top = true;
    const tokens = this.lexer.blockTokens(body, []);
    state.top = top;
    return { type: 'footnote', raw, label, tokens };
  },
};

/** `[^1]`, if that footnote exists. */
export const footnoteMark: TokenizerExtension = {
  name: 'footnoteMark',
  level: 'inline',
  start(text) {
    const index = text.indexOf('[^');
    return index < 0 ? undefined : index;
  },
  tokenizer(text): FootnoteMarkToken | undefined {
    const [raw, label] = /^\[\^([^\]\s]{1,100})\]/.exec(text) ?? [];
    if (raw === undefined || label === undefined) return undefined;
    return this.lexer.tokens.links[normalizeLabel(`^${label}`)] ? { type: 'footnoteMark', raw, label } : undefined;
  },
};
