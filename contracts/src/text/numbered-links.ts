import type { PlacedLink, WebLink } from './web-links.ts';

/** Where a text has which number. */
export type LinkMark = { at: number; number: number };

/** The pages, each once and numbered from 1 as they come in the text, and where the text has their numbers. */
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

/** The part of a text between two places with its marks written in. One at a border belongs to what stands before it. */
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

/** A text as it is taken along: Markdown with a footnote for each page. */
export function appendFootnotes(text: string, links: readonly PlacedLink[] = []): string {
  if (links.length === 0) return text;
  const { pages, marks } = numberedLinks(links);
  const notes = pages.map(({ url, title }, index) => `[^${index + 1}]: ${title === '' ? '' : `${title}, `}<${url}>`);
  return `${insertMarks(text, marks, (number) => `[^${number}]`)}\n\n${notes.join('\n')}`;
}
