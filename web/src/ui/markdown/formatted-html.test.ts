import { expect, test } from 'vitest';
import { toHtml } from './formatted-html.ts';

test.each([
  [
    '**a** *b* ~~c~~ `<d>` & H<sub>2</sub>O',
    '<p><strong>a</strong> <em>b</em> <del>c</del> <code>&lt;d&gt;</code> &amp; H<sub>2</sub>O</p>',
  ],
  ['[a"b](https://a.example/?c=1&d=2)', '<p><a href="https://a.example/?c=1&amp;d=2">a&quot;b</a></p>'],
  ['# T\n\n1. a\n2. b', '<h1>T</h1>\n<ol><li>a</li><li>b</li></ol>'],
  ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>'],
  [
    '| a | b |\n|---|--:|\n| 1 | 2 |',
    '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table>',
  ],
  ['```js\na < b\n```', '<pre><code>a &lt; b</code></pre>'],
  ['> $x$', '<blockquote><p>$x$</p></blockquote>'],
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['a[^1]\n\n[^1]: b', '<p>a<sup>1</sup></p>\n<div><sup>1</sup> <p>b</p></div>'],
])('renders %s', (text, html) => expect(toHtml(text)).toBe(html));
