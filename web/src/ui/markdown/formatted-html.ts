import { parseMarkdown } from './document.ts';
import type { Block, Inline, ListItem } from './tree.ts';

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

const names: Readonly<Record<string, string>> = { strong: 'strong', emphasis: 'em', deleted: 'del' };

function inline(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return escaped(part.text);
    case 'code':
      return `<code>${escaped(part.text)}</code>`;
    case 'link':
      return `<a href="${escaped(part.href)}">${line(part.children)}</a>`;
    case 'image':
      return escaped(part.alt === '' ? part.address.slice(0, 200) : part.alt);
    case 'math':
      return escaped(part.display ? `$$${part.source}$$` : `$${part.source}$`);
    case 'source':
      return '';
    case 'footnote':
      return `<sup>${escaped(part.label)}</sup>`;
    case 'break':
      return '<br>';
    default: {
      const name = names[part.kind] ?? part.kind;
      return `<${name}>${line(part.children)}</${name}>`;
    }
  }
}
const line = (parts: readonly Inline[]): string => parts.map(inline).join('');

function item({ checked, blocks }: ListItem): string {
  const mark = checked === null ? '' : checked ? '☑ ' : '☐ ';
  return `<li>${mark}${blocks.map(block).join('')}</li>`;
}

function table({ header, rows, align }: Extract<Block, { kind: 'table' }>): string {
  const cells = (tag: 'th' | 'td', row: readonly Inline[][]) =>
    row
      .map((cell, index) => `<${tag}${align[index] ? ` align="${align[index]}"` : ''}>${line(cell)}</${tag}>`)
      .join('');
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('');
  return `<table><thead><tr>${cells('th', header)}</tr></thead><tbody>${body}</tbody></table>`;
}

function block(each: Block): string {
  switch (each.kind) {
    case 'paragraph':
      return `<p>${line(each.children)}</p>`;
    case 'line':
      return line(each.children);
    case 'heading':
      return `<h${each.depth}>${line(each.children)}</h${each.depth}>`;
    case 'code':
      return `<pre><code>${escaped(each.text)}</code></pre>`;
    case 'math':
      return `<p>${escaped(`$$${each.source}$$`)}</p>`;
    case 'quote':
      return `<blockquote>${each.blocks.map(block).join('')}</blockquote>`;
    case 'list': {
      const items = each.items.map(item).join('');
      if (each.start === null) return `<ul>${items}</ul>`;
      return each.start === 1 ? `<ol>${items}</ol>` : `<ol start="${each.start}">${items}</ol>`;
    }
    case 'table':
      return table(each);
    case 'footnote':
      return `<div><sup>${escaped(each.label)}</sup> ${each.blocks.map(block).join('')}</div>`;
    case 'details':
      return `<p><strong>${line(each.summary)}</strong></p>${each.blocks.map(block).join('')}`;
    case 'rule':
      return '<hr>';
    case 'plain':
      return `<p>${escaped(each.text).replaceAll('\n', '<br>')}</p>`;
  }
}

/**
 * Renders Markdown as HTML for the clipboard, so that it can be pasted with formatting. Never inserted into the page.
 */
export const toHtml = (text: string): string =>
  parseMarkdown(text)
    .sections.map((section) => block(section.block))
    .join('\n');
