import { describe, expect, test } from 'vitest';
import { isWhole, type MarkdownDocument, parseMarkdown } from './document.ts';

const filled = (pattern: string, size: number) => pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size);
const numbered = (line: (index: number) => string, size: number) =>
  filled(Array.from({ length: 2000 }, (_, index) => line(index)).join(''), size);

/** Inputs, by size, that have hung Markdown parsers. */
const hostile: Record<string, (size: number) => string> = {
  'emphasis that never ends': (size) => filled('__a', size),
  'paragraphs of it': (size) => filled(`${filled('__a', 900)}\n\n`, size),
  'emphasis of three kinds': (size) => filled('*a **a ~~a ', size),
  'links that never end': (size) => filled('[a](<b', size),
  'images in images': (size) => filled('![', size),
  'brackets in brackets': (size) => filled('[', size),
  'code marks of all lengths': (size) => numbered((index) => `${'`'.repeat((index % 50) + 1)}a`, size),
  'HTML that never ends': (size) => filled('<a href="', size),
  'comments that never end': (size) => filled('<!-- ', size),
  'quotes in quotes': (size) => filled('>', size),
  'quotes with lazy lines': (size) => filled('> a\nb\n', size),
  'lists in quotes with lazy lines': (size) => filled('> - a\nb\n', size),
  'lists in lists': (size) => numbered((index) => `${' '.repeat(2 * (index % 200))}- a\n`, size),
  'lists on one line': (size) => filled('- ', size),
  'a long list': (size) => filled('- a\n\n  b\n', size),
  'a wide table': (size) => `${filled('|a', size / 3)}\n${filled('|-', size / 3)}\n${filled('|\n', size / 3)}`,
  'a long table': (size) => `|a|b|\n|-|-|\n${filled('|1|2|\n', size)}`,
  'formulas that never end': (size) => filled('$$a \\( \\[ $b', size),
  'short formulas': (size) => filled('$x$ ', size),
  'short paragraphs': (size) => filled('a\n\n', size),
  'short headings': (size) => filled('a\n=\n', size),
  'addresses to refer to': (size) => numbered((index) => `[a${index}]: https://a.example\n`, size),
  'footnotes in footnotes': (size) => filled('[^a]: ', size),
  'footnotes in text': (size) => numbered((index) => `[^${index}]: a[^${index}]\n`, size),
  'bold in Chinese': (size) => filled('**注意：这', size),
  'references in text': (size) => filled('&#1;&amp', size),
  addresses: (size) => filled('a@b http://a www.a', size),
  'marks over letters': (size) => filled('e\u0301\u0302', size),
  backslashes: (size) => filled('\\', size),
};

/** Parses a text in the smallest possible slices. */
function readInSlices(text: string) {
  let document: MarkdownDocument | undefined;
  do document = parseMarkdown(text, document, () => true);
  while (!isWhole(document));
  return document;
}

/** CPU milliseconds, independent of other load on the machine. */
function work(text: string): number {
  const before = process.cpuUsage();
  readInSlices(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('hostile text', () => {
  test.each(Object.keys(hostile))('takes linear time: %s', (name) => {
    const make = hostile[name] ?? String;
    const [small, large] = [make(20_000), make(100_000)];
    const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
    const ratio = () => least.large / Math.max(least.small, 4);
    // The minimum of several runs, to exclude disturbances: quadratic growth shows in every one.
    for (let round = 0; round < 8 && !(ratio() < 13); round++) {
      least.small = Math.min(least.small, work(small));
      least.large = Math.min(least.large, work(large));
    }
    // For five times the size, linear work gives 5 and quadratic work 25.
    expect(ratio()).toBeLessThan(13);
  });

  test.each(Object.keys(hostile))('gives a tree that can be rendered: %s', (name) => {
    for (const size of [200_000, 1_000_000]) {
      const document = readInSlices((hostile[name] ?? String)(size).slice(0, size).padEnd(size));
      expect(document.weight).toBeLessThan(45_000);
      expect(document.end).toBe(size);
    }
  });

  const nested: Record<string, (depth: number) => string> = {
    quotes: (depth) => `${'> '.repeat(depth)}a`,
    lists: (depth) => `${'- '.repeat(depth)}a`,
    'numbered lists': (depth) => `${'1. '.repeat(depth)}a`,
    emphasis: (depth) => `${'*a **b '.repeat(depth)}c${'** *'.repeat(depth)}`,
    deletions: (depth) => `${'~~a *b '.repeat(depth)}c${'* ~~'.repeat(depth)}`,
    links: (depth) => `${'['.repeat(depth)}a${'](https://a.example)'.repeat(depth)}`,
    images: (depth) => `${'!['.repeat(depth)}a${'](https://a.example)'.repeat(depth)}`,
    HTML: (depth) => `${'<b>'.repeat(depth)}a${'</b>'.repeat(depth)}`,
  };
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

  test.each(Object.keys(nested))('limits depth: %s', (name) => {
    for (const depth of [1, 2, 16, 17, 100, 1_000, 10_000]) {
      const document = parseMarkdown((nested[name] ?? String)(depth));
      expect(isWhole(document)).toBe(true);
      expect(depthOf(document.sections.map(({ block }) => block))).toBeLessThan(90);
    }
  });
});
