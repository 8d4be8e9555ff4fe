import type { PlacedLink, WebLink } from './web-links.ts';

type LinkMark = { at: number; number: number };

/** Numbers the pages from 1 in the order of the text, each once, and returns the positions of the numbers. */
export function numberedLinks(links: readonly PlacedLink[]): { pages: WebLink[]; marks: LinkMark[] } {
  const pages = new Map<string, WebLink & { number: number }>();
  const marks = new Map<string, LinkMark>();
  for (const { url, title, at } of links) {
    const page = pages.get(url) ?? { url, title, number: pages.size + 1 };
    pages.set(url, page);
    marks.set(`${at} ${page.number}`, { at, number: page.number });
  }
  return {
    pages: [...pages.values()].map(({ url, title }) => ({ url, title })),
    marks: [...marks.values()].sort((a, b) => a.at - b.at),
  };
}

/**
 * The part of a text between two positions, with its marks inserted. A mark at a boundary belongs to the text before
 * it.
 */
export function insertMarks(
  text: string,
  marks: readonly LinkMark[],
  markOf: (number: number) => string,
  from = 0,
  to = text.length,
): string {
  let written = from;
  let result = '';
  for (const { at: place, number } of marks) {
    const at = Math.min(place, text.length);
    if (at > to || (at <= from && from > 0)) continue;
    result += text.slice(written, at) + markOf(number);
    written = at;
  }
  return result + text.slice(written, to);
}

/** Markdown text with a footnote for each page, for copying. */
export function appendFootnotes(text: string, links: readonly PlacedLink[] = []): string {
  if (links.length === 0) return text;
  const { pages, marks } = numberedLinks(links);
  const notes = pages.map(({ url, title }, index) => `[^${index + 1}]: ${title === '' ? '' : `${title}, `}<${url}>`);
  return `${insertMarks(text, marks, (number) => `[^${number}]`)}\n\n${notes.join('\n')}`;
}
