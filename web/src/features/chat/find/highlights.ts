import './marks.css';

/** Highlights text without changing the DOM, which React owns; older browsers do not support this. */
const canMark = 'highlights' in CSS;

/** Parts of a message that do not count as text: controls, screen reader text, rendered formulas. */
const apart = 'button, figcaption, svg, .sr-only, .katex, [aria-hidden="true"]';
const blocks =
  'p, li, tr, td, th, dt, dd, pre, div, section, figure, blockquote, h1, h2, h3, h4, h5, h6, details, summary';

type Piece = { node: Text; from: number };

/** Text of an element, with breaks between blocks. */
function readText(part: Element): { text: string; pieces: Piece[] } {
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
    if (node.matches(apart)) return NodeFilter.FILTER_REJECT;
    return node.localName === 'br' ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement?.closest(blocks) ?? null;
    if (own !== block || !(node instanceof Text)) text += '\n';
    block = own;
    if (!(node instanceof Text)) continue;
    pieces.push({ node, from: text.length });
    text += node.data;
  }
  return { text, pieces };
}

function rangesInPart(part: Element, pattern: RegExp): Range[] {
  const { text, pieces } = readText(part);
  const pieceAt = (offset: number) => pieces.findLast(({ from }) => from <= offset);
  return [...text.matchAll(pattern)].flatMap(({ index, 0: found }) => {
    const first = pieceAt(index);
    const last = pieceAt(index + found.length - 1);
    if (!first || !last) return [];
    const range = document.createRange();
    range.setStart(first.node, Math.min(index - first.from, first.node.length));
    range.setEnd(last.node, Math.min(index + found.length - last.from, last.node.length));
    return [range];
  });
}

/** Ranges of all hits in a rendered message, in order. */
export const findRanges = (row: Element, pattern: RegExp): Range[] =>
  [...row.querySelectorAll('[data-searched]')]
    .filter((part) => !part.parentElement?.closest('[data-searched]'))
    .flatMap((part) => rangesInPart(part, pattern));

/** Rendered messages by id. */
export const renderedRows = (area: Element): Map<number, Element> =>
  new Map(
    [...area.querySelectorAll<HTMLElement>('[data-message]')].map((row) => [Number(row.dataset.message), row] as const),
  );

export function highlightRanges(ranges: readonly Range[], here: Range | undefined): void {
  if (!canMark) return;
  CSS.highlights.set('found', new Highlight(...ranges.filter((range) => range !== here)));
  if (here) CSS.highlights.set('found-here', new Highlight(here));
  else CSS.highlights.delete('found-here');
}

export function clearHighlights(): void {
  if (!canMark) return;
  for (const name of ['found', 'found-here']) CSS.highlights.delete(name);
}

/** Expands collapsed elements around a hit. Returns true if there were any. */
function unfold({ startContainer }: Range): boolean {
  let pressed = false;
  for (let part = startContainer.parentElement; part; part = part.parentElement) {
    const button =
      part instanceof HTMLDetailsElement && !part.open
        ? part.querySelector('summary')
        : part.querySelector<HTMLElement>(':scope[data-folded] > button[aria-expanded="false"]');
    button?.click();
    pressed ||= button !== null;
  }
  return pressed;
}

const room = 64;

/** Scrolls a hit into view, including inside scrolling boxes such as code. */
function scrollTo(range: Range, area: Element): void {
  for (let part = range.startContainer.parentElement; part; part = part.parentElement) {
    const place = range.getBoundingClientRect();
    const box = part.getBoundingClientRect();
    if (part === area) {
      if (place.top < box.top + room || place.bottom > box.bottom - room)
        part.scrollTop += (place.top + place.bottom - box.top - box.bottom) / 2;
      return;
    }
    const { overflowX, overflowY } = getComputedStyle(part);
    const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
    if (scrolls(overflowX) && (place.left < box.left || place.right > box.right))
      part.scrollLeft += (place.left + place.right - box.left - box.right) / 2;
    if (scrolls(overflowY) && (place.top < box.top || place.bottom > box.bottom))
      part.scrollTop += (place.top + place.bottom - box.top - box.bottom) / 2;
  }
}

/** Brings a hit into view; expanded content has its size one frame later. */
export function reveal(range: Range, area: Element): void {
  const wasFolded = unfold(range);
  scrollTo(range, area);
  if (wasFolded) requestAnimationFrame(() => scrollTo(range, area));
}
