import { describe, expect, test } from 'vitest';
import { isWhole, type MarkdownDocument, parseMarkdown } from './document.ts';
import { lex, type Piece } from './parse.ts';
import { addDefinitions, emptyLinks } from './reference-links.ts';
import type { Block } from './tree.ts';

/** Same as in `document.ts`. */
const stride = 8_000;

type Draw = { below: (limit: number) => number; one: <Item>(items: readonly [Item, ...Item[]]) => Item };

/** Seeded random numbers, the same on every machine. */
function drawFrom(seed: number): Draw {
  let state = seed + 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, one: (items) => items[below(items.length)] ?? items[0] };
}

const lines = (size: number, line: (index: number) => string) => {
  const all: string[] = [];
  for (let length = 0, index = 0; length < size; index++) {
    const next = line(index);
    all.push(next);
    length += next.length + 1;
  }
  return all.join('\n');
};
const indented = (text: string, by: string) => text.replaceAll(/^(?=.)/gm, by);
const code = (size: number) =>
  lines(size, (index) =>
    index % 7 === 3 ? '' : index % 11 === 5 ? '# not a heading' : `value_${index} = $x[${index}]`,
  );
const words = (size: number, draw: Draw) =>
  lines(Math.min(size, 3_000), () =>
    draw.one(['Some *words* of', '[a][link 1] in', 'a $x$ and `b`', 'notes[^n1] <b>']),
  );

/** Generators of blocks of about a given size. */
const kinds = {
  paragraph: words,
  heading: (_size, draw) => `${'#'.repeat(1 + draw.below(4))} Title ${draw.below(9)}`,
  'heading with a line below': () => 'Title\n=====',
  rule: () => '---',
  fence: (size, draw) => {
    const mark = draw.one(['```', '~~~', '````']);
    return `${mark}py\n${code(size)}\n${mark}`;
  },
  'fence that has no end': (size) => `~~~\n${code(size)}`,
  'indented code': (size) => indented(code(size).trim(), '    '),
  list: (size) => lines(Math.min(size, 15_000), (index) => `- item ${index}\n  - inner [b][LINK 1]`),
  'loose list': (size) => lines(Math.min(size, 15_000), (index) => `${index + 1}. item\n\n   more\n`).trimEnd(),
  'list with a fence': (size) =>
    `1. One\n\n   \`\`\`js\n${indented(code(Math.min(size, 14_000)), '   ')}\n   \`\`\`\n\n2. Two`,
  tasks: () => '- [x] done\n- [ ] open',
  table: (size) =>
    `| a | b | c |\n|---|:-:|--:|\n${lines(Math.min(size, 20_000), (index) => `| ${index} | *two* | [c][link 2] |`)}`,
  'HTML block': (size) => `<div>\n${lines(size, () => 'text <i>in</i> it')}\n</div>`,
  comment: (size) => `<!-- ${code(size)} -->`,
  quote: (size) => indented(words(size, drawFrom(size)), '> '),
  'quote with a fence': (size) => lines(size, (index) => (index === 0 ? '> ```' : `> code ${index}`)).concat('\n> ```'),
  'lazy quote': () => '> one\ntwo\n> three',
  formula: (size) => `$$\n${code(Math.min(size, 1_500))}\n$$`,
  'formula that has no end': () => '$$\n\\frac{a}{b}',
  'definition of a label': (_size, draw) => `[link ${1 + draw.below(3)}]: https://${draw.below(5)}.example "title"`,
  'definition with a long title': () => '[link 2]: https://t.example "one\n\ntwo"',
  footnote: (_size, draw) => `[^n${1 + draw.below(2)}]: A note about it.`,
} satisfies Record<string, (size: number, draw: Draw) => string>;

type Kind = keyof typeof kinds;
const isKind = (name: string): name is Kind => name in kinds;
const [first = 'paragraph', ...others] = Object.keys(kinds).filter(isKind);

function write(draw: Draw): string {
  const parts = Array.from({ length: 1 + draw.below(7) }, () => {
    const size = draw.one([20, 20, 200, stride - draw.below(200), stride + draw.below(200), 12_000, 2 * stride + 50]);
    return kinds[draw.one<Kind>([first, ...others])](size, draw);
  });
  const ends = draw.one(['', '\n', '\n\n']);
  return (
    parts
      .map((part) => part + draw.one(['\n\n', '\n\n', '\n\n\n', '\n']))
      .join('')
      .trimEnd() + ends
  );
}

const blocksOf = ({ sections }: MarkdownDocument): Block[] => sections.map(({ block }) => block);

/** One step, or two if a list is too long. */
function atOnce(text: string): Block[] {
  const links = emptyLinks();
  const read = () => {
    const pieces = lex(text, links);
    for (let end = lengthOf(pieces); end < text.length; end = lengthOf(pieces)) {
      pieces.push(...lex(text.slice(end), links));
    }
    return pieces;
  };
  for (const { definitions } of read()) addDefinitions(links, definitions);
  return read().flatMap(({ block }) => block ?? []);
}
const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { raw }) => sum + raw.length, 0);

/** Feeds the text in growing prefixes, with minimal time for each. */
function streamed(text: string, draw: Draw): MarkdownDocument {
  let document = parseMarkdown('');
  const size = draw.one([500, 2_000, 5_000, 9_000]);
  for (let end = 0; end < text.length; ) {
    end += 1 + draw.below(size);
    document = parseMarkdown(text.slice(0, end), document, () => true);
  }
  while (!isWhole(document)) document = parseMarkdown(text, document, () => true);
  return document;
}

function inSlices(text: string): MarkdownDocument {
  let document = parseMarkdown(text, undefined, () => true);
  while (!isWhole(document)) document = parseMarkdown(text, document, () => true);
  return document;
}

describe('parsing in pieces', () => {
  test.each(Array.from({ length: 8 }, (_, part) => part))(
    'gives the same result for generated texts, part %i',
    (part) => {
      for (let seed = part * 12; seed < (part + 1) * 12; seed++) {
        const draw = drawFrom(seed);
        const text = write(draw);
        const whole = atOnce(text);
        expect(blocksOf(inSlices(text)), `seed ${seed} in slices`).toEqual(whole);
        expect(blocksOf(streamed(text, draw)), `seed ${seed} as it arrives`).toEqual(whole);
      }
    },
  );

  test('gives the same result character by character', () => {
    for (const [name, kind] of Object.entries(kinds)) {
      const text = `Before:\n${kind(60, drawFrom(1))}\n\nAfter`;
      let document = parseMarkdown('');
      for (let end = 1; end <= text.length; end++) {
        document = parseMarkdown(text.slice(0, end), document);
        expect(blocksOf(document), `${name}, ${end} characters`).toEqual(atOnce(text.slice(0, end)));
      }
    }
  });

  test.each(Object.keys(kinds).filter(isKind))(
    'gives the same result for %s of 12,000 characters after a paragraph',
    (kind) => {
      const text = `Here it is:\n\n${kinds[kind](12_000, drawFrom(3))}\n\nAnd that was it.`;
      expect(blocksOf(inSlices(text))).toEqual(atOnce(text));
      expect(blocksOf(streamed(text, drawFrom(4)))).toEqual(atOnce(text));
    },
  );
});

describe('long blocks', () => {
  test('keeps all lines of code after a paragraph', () => {
    const module = code(12_000);
    expect(blocksOf(parseMarkdown(`Here is the module:\n\n\`\`\`python\n${module}\n\`\`\`\n\nThat is all.`))).toEqual([
      { kind: 'paragraph', children: [{ kind: 'text', text: 'Here is the module:' }] },
      { kind: 'code', language: 'python', text: module, closed: true },
      { kind: 'paragraph', children: [{ kind: 'text', text: 'That is all.' }] },
    ]);
  });

  test('keeps all rows of a table', () => {
    const rows = Array.from({ length: 200 }, (_, index) => `| ${index} | ${'x'.repeat(60)} |`).join('\n');
    const [, table] = blocksOf(parseMarkdown(`# Rows\n\n| n | text |\n|---|---|\n${rows}\n\nEnd`));
    expect(table).toMatchObject({ kind: 'table', rows: { length: 200 } });
  });

  test('keeps all items and numbers of a split list', () => {
    const text = `Steps:\n\n${lines(40_000, (index) => `${index + 1}. Step`)}\n\nEnd`;
    const lists = blocksOf(inSlices(text)).filter((block) => block.kind === 'list');
    const total = text.split('. Step').length - 1;
    expect(lists.length).toBeGreaterThan(1);
    expect(lists.reduce((sum, { items }) => sum + items.length, 0)).toBe(total);
    let next = 1;
    for (const { start, items } of lists) {
      expect(start).toBe(next);
      next += items.length;
    }
    expect(blocksOf(streamed(text, drawFrom(5)))).toEqual(blocksOf(inSlices(text)));
  });

  test('resolves a link wherever its address is defined', () => {
    const text = `A [link][far].\n\n${words(9_000, drawFrom(1))}\n\n\`\`\`\n${code(9_000)}\n\`\`\`\n\n[far]: https://far.example`;
    const link = { kind: 'link', href: 'https://far.example/', children: [{ kind: 'text', text: 'link' }] };
    expect(blocksOf(inSlices(text))[0]).toMatchObject({ children: [{ text: 'A ' }, link, { text: '.' }] });
    expect(blocksOf(streamed(text, drawFrom(2)))[0]).toMatchObject({ children: [{ text: 'A ' }, link, { text: '.' }] });
  });
});
