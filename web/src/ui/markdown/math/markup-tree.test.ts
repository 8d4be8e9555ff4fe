import { renderToString } from 'katex';
import { describe, expect, test } from 'vitest';
import { type MarkupNode, readMarkup, readStyle } from './markup-tree.ts';

const textOf = (nodes: MarkupNode[]): string =>
  nodes.map((node) => (node.kind === 'text' ? node.text : textOf(node.children))).join('');

describe('markup of a formula', () => {
  test('becomes a tree with its text', () =>
    expect(
      readMarkup('<span class="a b" style="top:-1em;"><svg width="1em"><path d="M0 0\nz"/></svg>x&lt;y</span>z'),
    ).toEqual([
      {
        kind: 'element',
        name: 'span',
        attributes: new Map([
          ['class', 'a b'],
          ['style', 'top:-1em;'],
        ]),
        children: [
          {
            kind: 'element',
            name: 'svg',
            attributes: new Map([['width', '1em']]),
            children: [{ kind: 'element', name: 'path', attributes: new Map([['d', 'M0 0\nz']]), children: [] }],
          },
          { kind: 'text', text: 'x<y' },
        ],
      },
      { kind: 'text', text: 'z' },
    ]));

  test('leaves no KaTeX tag in the text', () => {
    const markup = renderToString('\\vec{a} \\sqrt{\\frac{x<y}{"q"}} \\cancel{z} \\text{<script>}', {
      strict: 'ignore',
    });
    const roots = readMarkup(markup);
    expect(roots).toHaveLength(1);
    expect(textOf(roots)).not.toMatch(/<(?!script>|y)/);
    expect(textOf(roots)).toContain('<script>');
  });
});

describe('styles', () => {
  test('parses styles by name', () =>
    expect(readStyle('margin-right:0.2em;top:-3em;')).toEqual({ marginRight: '0.2em', top: '-3em' }));

  test('drops styles that could load something', () =>
    expect(readStyle('background:url(https://evil.example);color:red')).toEqual({ color: 'red' }));
});
