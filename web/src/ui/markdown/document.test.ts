import { describe, expect, test } from 'vitest';
import { parseMarkdown } from './document.ts';
import type { Block } from './tree.ts';

const blocksOf = (text: string): Block[] => parseMarkdown(text).sections.map((section) => section.block);
const only = (text: string) => blocksOf(text)[0];

describe('hostile Markdown', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="https://evil.example"></iframe>',
  ])('shows raw HTML as text: %s', (html) => expect(only(html)).toEqual({ kind: 'plain', text: html }));

  test('shows inline HTML as text', () =>
    expect(only('a <b onclick=x>c</b>')).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: 'a <b onclick=x>c</b>' }],
    }));

  test.each([
    '[go](javascript:alert(1))',
    '[go](JaVaScRiPt:alert(1))',
    '[go](data:text/html,x)',
    '[go](/settings)',
    '[go](//evil.example)',
    '[go](java&#115;cript:alert(1))',
    '[go](vbscript:x)',
    '[go](sandbox:/etc/passwd)',
  ])('refuses an unsafe link: %s', (link) =>
    expect(only(link)).toEqual({ kind: 'paragraph', children: [{ kind: 'text', text: link }] }),
  );

  test('drops the sandbox path of a generated file', () =>
    expect(only('[plot.png](sandbox:/mnt/data/plot.png)')).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: 'plot.png' }],
    }));

  test('shows an image as its address', () =>
    expect(only('![logo](https://evil.example/?q=1&amp;r=2)')).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'image', address: 'https://evil.example/?q=1&r=2', alt: 'logo' }],
    }));

  test('limits nesting', () => {
    expect(JSON.stringify(blocksOf('>'.repeat(5000))).length).toBeLessThan(12_000);
    expect(JSON.stringify(blocksOf('> '.repeat(200))).length).toBeLessThan(2000);
  });

  test('does not parse a paragraph nobody wrote by hand', () =>
    expect(only('_a_b'.repeat(50_000))).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: '_a_b'.repeat(50_000) }],
    }));
});

describe('text', () => {
  test('decodes character references, except in code', () =>
    expect(only('5 &lt; 6 &#8364; `&lt;` \\* &bogus;')).toEqual({
      kind: 'paragraph',
      children: [
        { kind: 'text', text: '5 < 6 € ' },
        { kind: 'code', text: '&lt;' },
        { kind: 'text', text: ' * &bogus;' },
      ],
    }));

  test('links a bare URL', () =>
    expect(only('see https://a.example/?a=1&b=2')).toEqual({
      kind: 'paragraph',
      children: [
        { kind: 'text', text: 'see ' },
        {
          kind: 'link',
          href: 'https://a.example/?a=1&b=2',
          children: [{ kind: 'text', text: 'https://a.example/?a=1&b=2' }],
        },
      ],
    }));

  test('closes a fence when its end arrives', () => {
    expect(only('```ts\nlet a')).toEqual({ kind: 'code', language: 'ts', text: 'let a', closed: false });
    expect(only('```TS title\nlet a\n```')).toEqual({ kind: 'code', language: 'ts', text: 'let a', closed: true });
  });

  test('parses tasks and numbered lists', () => {
    expect(only('3. a\n4. b')).toMatchObject({ kind: 'list', start: 3 });
    expect(only('- [x] a\n- [ ] b')).toMatchObject({ items: [{ checked: true }, { checked: false }] });
  });

  test('accepts a line break as HTML', () =>
    expect(only('a<br>b')).toMatchObject({ children: [{ text: 'a' }, { kind: 'break' }, { text: 'b' }] }));
});

describe('formulas', () => {
  test.each([
    ['$x^2$', 'x^2', false],
    ['\\(x\\)', 'x', false],
    ['\\[y\\] z', 'y', true],
  ])('parses %s', (text, source, display) =>
    expect(only(text)).toMatchObject({ children: expect.arrayContaining([{ kind: 'math', source, display }]) }),
  );

  test.each(['$$\na+b\n$$', '\\[\na+b\n\\]'])('parses a block formula: %j', (text) =>
    expect(blocksOf(`Before:\n${text}\nAfter`)).toMatchObject([
      { kind: 'paragraph' },
      { kind: 'math', source: 'a+b' },
      { kind: 'paragraph' },
    ]),
  );

  test.each(['It costs $5, or $6.', 'US$5 and US$6', '$5-$10', 'a $ b $ c'])('keeps prices: %s', (text) =>
    expect(only(text)).toEqual({ kind: 'paragraph', children: [{ kind: 'text', text }] }),
  );
});

describe('growing text', () => {
  const text = [
    '# Title',
    'A [link][1] and **bold** $x$.',
    '- one\n- two\n\n  more\n- three',
    '1. a\n\n2. b',
    '| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |',
    '```js\nconst a = 1;\n\nconst b = 2;\n```',
    '> quote\n> more',
    '$$\n\\frac{a}{b}\n$$',
    'Setext\n---',
    '<div>\nhtml\n</div>',
    'Last\r\nline.',
    '[1]: https://a.example',
  ].join('\n\n');

  test.each([1, 3, 7, 40])('gives the same result in steps of %i characters', (step) => {
    let document = parseMarkdown('');
    for (let end = step; end < text.length + step; end += step) document = parseMarkdown(text.slice(0, end), document);
    const whole = parseMarkdown(text);
    expect(document.sections.map((section) => section.raw)).toEqual(whole.sections.map((section) => section.raw));
    const withoutLink = (block: Block) => JSON.stringify(block).includes('[link]') === false;
    expect(document.sections.map((section) => section.block).filter(withoutLink).length).toBeGreaterThan(9);
  });

  test('keeps blocks that cannot change', () => {
    const before = parseMarkdown('one\n\ntwo\n\nthree\n\nfour');
    const after = parseMarkdown('one\n\ntwo\n\nthree\n\nfour and', before);
    expect(after.sections[0]).toBe(before.sections[0]);
    expect(after.sections[1]).toBe(before.sections[1]);
    expect(after.sections[3]?.raw).toBe('four and');
  });

  test('parses a replaced text again', () =>
    expect(parseMarkdown('other', parseMarkdown('a\n\nb\n\nc\n\nd')).sections).toHaveLength(1));
});

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (typeof value !== 'object' || value === null) return '';
  if ('kind' in value && value.kind === 'strong' && 'children' in value) return `<${textOf(value.children)}>`;
  return 'text' in value ? String(value.text) : Object.values(value).map(textOf).join('');
};

describe('ambiguous marks', () => {
  test.each([
    '5$/month or 10$/month',
    'US$5–US$10',
    '$AAPL/$MSFT',
    '$HOME/bin:$PATH',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell has it
    '${HOME}/bin:${PATH}',
    'from A$5 to NZ$6',
    '3~5天，价格100~200元',
    'about ~5 and ~6',
    'a~b~c',
  ])('keeps %s', (text) => expect(only(text)).toEqual({ kind: 'paragraph', children: [{ kind: 'text', text }] }));

  test.each([
    ['其中$x$是', 'x'],
    ['값은$y$이다', 'y'],
    ['($z$)', 'z'],
    ['**a**$b$.', 'b'],
  ])('parses a formula next to letters without spaces: %s', (text, source) =>
    expect(only(text)).toMatchObject({ children: expect.arrayContaining([{ kind: 'math', source, display: false }]) }),
  );

  test('strikes through with two tildes', () =>
    expect(only('~~old~~ new')).toMatchObject({ children: [{ kind: 'deleted' }, { text: ' new' }] }));
});

describe('bold next to letters without spaces', () => {
  test.each([
    ['**注意：**这是', '<注意：>这是'],
    ['**강조(emphasis)**를', '<강조(emphasis)>를'],
    ['他说**“好”**。', '他说<“好”>。'],
    ['これは**「重要」**です', 'これは<「重要」>です'],
    ['**A**是**B**，**C**', '<A>是<B>，<C>'],
    ['**a**b', '<a>b'],
    ['a ** b ** c', 'a ** b ** c'],
    ['**bold** and **more**', '<bold> and <more>'],
    ['2**3 and 4**5', '2<3 and 4>5'],
    ['**안녕하세요.**라고', '<안녕하세요.>라고'],
    ['**标题（一）：**内容**（二）**', '<标题（一）：>内容<（二）>'],
  ])('parses %s', (text, shown) => expect(textOf(only(text))).toBe(shown));
});

describe('URL in running text', () => {
  test.each([
    ['见https://a.example/b，然后', 'https://a.example/b', '，然后'],
    ['见 https://a.example。', 'https://a.example', '。'],
    ['https://a.example/b的文档', 'https://a.example/b', '的文档'],
    ['https://a.example/wiki/北京', 'https://a.example/wiki/北京', ''],
    ['（https://a.example/c）吗', 'https://a.example/c', '）吗'],
    ['see https://a.example/d, and', 'https://a.example/d', ', and'],
  ])('ends before the text continues: %s', (text, address, rest) => {
    const children = only(text);
    expect(children).toMatchObject({
      children: expect.arrayContaining([
        expect.objectContaining({ kind: 'link', children: [{ kind: 'text', text: address }] }),
      ]),
    });
    expect(textOf(children).endsWith(address + rest)).toBe(true);
  });
});

describe('footnotes', () => {
  test('links the marks to the footnotes', () =>
    expect(
      blocksOf('It rains.[^1] Or not.[^why]\n\n[^1]: Short\n[^why]: <https://a.example>\n    and *more*\n\nEnd'),
    ).toMatchObject([
      {
        kind: 'paragraph',
        children: [{ text: 'It rains.' }, { kind: 'footnote', label: '1' }, { text: ' Or not.' }, { label: 'why' }],
      },
      { kind: 'footnote', label: '1', blocks: [{ kind: 'paragraph', children: [{ text: 'Short' }] }] },
      {
        kind: 'footnote',
        label: 'why',
        blocks: [{ children: [{ kind: 'link' }, { text: '\nand ' }, { kind: 'emphasis' }] }],
      },
      { kind: 'paragraph' },
    ]));

  test('keeps a footnote whose text is a URL', () =>
    expect(blocksOf('a[^1]\n\n[^1]: https://a.example')).toMatchObject([
      { children: [{ text: 'a' }, { kind: 'footnote', label: '1' }] },
      { kind: 'footnote', blocks: [{ children: [{ kind: 'link', href: 'https://a.example/' }] }] },
    ]));

  test('keeps marks without a footnote as written', () =>
    expect(only('a[^1] b')).toEqual({ kind: 'paragraph', children: [{ kind: 'text', text: 'a[^1] b' }] }));

  test('allows several paragraphs', () =>
    expect(blocksOf('[^a]: One\n\n    Two\n\nThree')).toMatchObject([
      { kind: 'footnote', blocks: [{ kind: 'paragraph' }, { kind: 'paragraph' }] },
      { kind: 'paragraph' },
    ]));
});

describe('harmless HTML', () => {
  const paragraph = (text: string) => only(text);
  test('formats text', () =>
    expect(paragraph('H<sub>2</sub>O, x<SUP>2</SUP>, <kbd>Ctrl &lt;</kbd>, <b>a *b*</b> <mark>c</mark>')).toEqual({
      kind: 'paragraph',
      children: [
        { kind: 'text', text: 'H' },
        { kind: 'sub', children: [{ kind: 'text', text: '2' }] },
        { kind: 'text', text: 'O, x' },
        { kind: 'sup', children: [{ kind: 'text', text: '2' }] },
        { kind: 'text', text: ', ' },
        { kind: 'kbd', children: [{ kind: 'text', text: 'Ctrl <' }] },
        { kind: 'text', text: ', ' },
        {
          kind: 'strong',
          children: [
            { kind: 'text', text: 'a ' },
            { kind: 'emphasis', children: [{ kind: 'text', text: 'b' }] },
          ],
        },
        { kind: 'text', text: ' ' },
        { kind: 'mark', children: [{ kind: 'text', text: 'c' }] },
      ],
    }));

  test.each([
    'a <sub class="x">b</sub>',
    'a <sub>b',
    'a b</sub>',
    'a <b onclick=x>c</b>',
    '<a href="https://a.example">b</a> c',
    'a <script>b</script>',
    'a <span>b</span>',
  ])('shows other HTML as text: %s', (text) =>
    expect(only(text)).toEqual({ kind: 'paragraph', children: [{ kind: 'text', text }] }),
  );

  test('keeps all text of crossed elements', () =>
    expect(only('a <b>b <i>c</b> d</i>')).toEqual({
      kind: 'paragraph',
      children: [
        { kind: 'text', text: 'a ' },
        { kind: 'strong', children: [{ kind: 'text', text: 'b <i>c' }] },
        { kind: 'text', text: ' d</i>' },
      ],
    }));

  test('parses Markdown in details, and ignores tags in code', () => {
    const text =
      'Before\n<details>\n<summary>More *here*</summary>\n\n- a\n\n```html\n</details>\n```\n\n</details>\n\nAfter';
    expect(blocksOf(text)).toMatchObject([
      { kind: 'paragraph' },
      {
        kind: 'details',
        closed: true,
        summary: [{ text: 'More ' }, { kind: 'emphasis' }],
        blocks: [{ kind: 'list' }, { kind: 'code', text: '</details>' }],
      },
      { kind: 'paragraph', children: [{ text: 'After' }] },
    ]);
    expect(only('<details>\n<summary>S</summary>\nopen *text*')).toMatchObject({ kind: 'details', closed: false });
    expect(only('<details ontoggle="x">\nb\n</details>')).toMatchObject({ kind: 'plain' });
  });

  test('keeps the other items of a list with details', () =>
    expect(only('- a\n- <details><summary>b</summary>c</details>\n  d\n- e')).toMatchObject({
      items: [
        { blocks: [{ kind: 'line' }] },
        { blocks: [{ kind: 'details' }, { kind: 'line' }] },
        { blocks: [{ kind: 'line' }] },
      ],
    }));
});

describe('LaTeX without dollars', () => {
  test('parses an environment as a formula', () => {
    const source = '\\begin{align}\na &= b \\\\\n\nc &= d\n\\end{align}';
    expect(blocksOf(`Then:\n${source}\nAnd`)).toMatchObject([
      { kind: 'paragraph' },
      { kind: 'math', source },
      { kind: 'paragraph' },
    ]);
    expect(only('x \\begin{pmatrix}1\\\\2\\end{pmatrix} y')).toMatchObject({
      children: [{ text: 'x ' }, { kind: 'math', display: true }, { text: ' y' }],
    });
    expect(only('\\begin{document}a\\end{document}')).toMatchObject({ kind: 'paragraph' });
  });

  test('parses a closed math fence as a formula', () => {
    expect(only('```math\na^2\n```')).toEqual({ kind: 'math', source: 'a^2' });
    expect(only('```math\na^2')).toMatchObject({ kind: 'code', closed: false });
  });

  test.each(['\\ce{2H2 + O2 -> 2H2O}', '\\ce{^{227}_{90}Th+}', '\\pu{3 m/s}'])('parses chemistry: %s', (source) =>
    expect(only(`It is ${source}.`)).toMatchObject({
      children: [{}, { kind: 'math', source, display: false }, { text: '.' }],
    }),
  );
});

test('decodes every named reference', () =>
  expect(textOf(only('&alpha; &Rightarrow; &check; &hearts; &nbsp;&lt; &NotEqualTilde; &bogus; &#x1F600;'))).toBe(
    'α ⇒ ✓ ♥ \u00a0< ≂̸ &bogus; 😀',
  ));

describe('embedded images', () => {
  const data = `data:image/png;base64,${'iVBORw0KGgo'.repeat(60_000)}`;
  test('shows embedded images of any size', () =>
    expect(blocksOf(`A chart:\n\n![chart](${data})\n\nEnd`)).toEqual([
      { kind: 'paragraph', children: [{ kind: 'text', text: 'A chart:' }] },
      { kind: 'paragraph', children: [{ kind: 'image', address: data, alt: 'chart' }] },
      { kind: 'paragraph', children: [{ kind: 'text', text: 'End' }] },
    ]));
});
