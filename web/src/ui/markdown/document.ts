import { lex, type ReferenceLinks } from './parse.ts';
import type { Section } from './tree.ts';

/** A Markdown text, read. Sections keep their identity while a text grows, so only what changed is drawn again. */
export type MarkdownDocument = { source: string; sections: Section[]; links: ReferenceLinks };

/** Beyond this a text is shown as it is written: nobody reads it as a page, and reading it would hold up the screen. */
const longestText = 400_000;
/** Paragraphs this long are not prose; reading their inline marks can take time that grows with the square. */
const longestParagraph = 20_000;

const plain = (source: string): MarkdownDocument => ({
  source,
  sections: source === '' ? [] : [{ raw: source, end: source.length, block: { kind: 'plain', text: source } }],
  links: {},
});

/** Whether a paragraph outside of code is longer than anyone writes by hand. */
function isTooDense(source: string): boolean {
  if (source.length < longestParagraph) return false;
  let fenced = false;
  let length = 0;
  for (const line of source.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    length = fenced || line.trim() === '' ? 0 : length + line.length;
    if (length > longestParagraph) return true;
  }
  return false;
}

function read(source: string, offset: number, kept: Section[], links: ReferenceLinks): MarkdownDocument {
  const found = lex(source.slice(offset), links);
  const sections = [...kept];
  let end = offset;
  for (const { raw, block } of found.pieces) {
    end += raw.length;
    if (block) sections.push({ raw, end, block });
    else {
      const last = sections.at(-1);
      if (last && sections.length > kept.length) last.end = end;
    }
  }
  return { source, sections, links: found.links };
}

/**
 * Reads a Markdown text. `previous` is the text as it stood a moment ago: while an answer arrives, only its last two
 * blocks can still change, so only they are read again.
 */
export function readMarkdown(text: string, previous?: MarkdownDocument): MarkdownDocument {
  const source = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  if (previous?.source === source) return previous;
  if (source.length > longestText || isTooDense(source)) return plain(source);
  try {
    if (previous && previous.sections.length > 2 && source.startsWith(previous.source)) {
      const kept = previous.sections.slice(0, -2);
      const offset = kept.at(-1)?.end ?? 0;
      return read(source, offset, kept, previous.links);
    }
    return read(source, 0, [], {});
  } catch {
    // Markdown nested thousands deep exhausts the parser's stack; its text is still the person's to read.
    return plain(source);
  }
}
