const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  emsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

function characterOf(whole: string, name: string): string {
  if (!name.startsWith('#')) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

export const decoded = (html: string) => html.replace(/&(#x?[0-9a-f]{1,8}|[a-z]{2,8});/gi, characterOf);

/** The marks of Markdown that stand before and after an element's content. */
const around: Record<string, [before: string, after: string]> = {
  b: ['**', '**'],
  strong: ['**', '**'],
  i: ['*', '*'],
  em: ['*', '*'],
  del: ['~~', '~~'],
  p: ['\n\n', '\n\n'],
  div: ['\n', '\n'],
  blockquote: ['\n\n> ', '\n\n'],
  h1: ['\n\n# ', '\n\n'],
  h2: ['\n\n## ', '\n\n'],
  h3: ['\n\n### ', '\n\n'],
  h4: ['\n\n#### ', '\n\n'],
  h5: ['\n\n##### ', '\n\n'],
  h6: ['\n\n###### ', '\n\n'],
  table: ['\n\n', '\n\n'],
  br: ['\n', ''],
  hr: ['\n\n---\n\n', ''],
};
const withoutContent = /^(script|style|head|title)$/;
const deepestList = 20;

type List = { isNumbered: boolean; items: number };

/** Writes Markdown while tags and texts of HTML go by. Unknown tags leave their texts. */
function createWriter() {
  let text = '';
  const lists: List[] = [];
  const links: string[] = [];
  let [preformatted, hidden, cells] = [0, 0, 0];

  function item(): string {
    const within = lists.at(-1);
    if (!within) return '\n- ';
    within.items++;
    const mark = within.isNumbered ? `${within.items}.` : '-';
    return `\n${'  '.repeat(Math.min(lists.length, deepestList) - 1)}${mark} `;
  }

  const list = {
    open(isNumbered: boolean) {
      lists.push({ isNumbered, items: 0 });
      return lists.length === 1 ? '\n' : '';
    },
    close() {
      lists.pop();
      return lists.length === 0 ? '\n\n' : '';
    },
  };
  const cell = {
    open() {
      cells++;
      return ' ';
    },
    close: () => ' |',
  };
  /** Elements whose marks depend on the others. */
  const depending: Record<string, { open: (attributes: string) => string; close: () => string }> = {
    ul: { ...list, open: () => list.open(false) },
    ol: { ...list, open: () => list.open(true) },
    li: { open: item, close: () => '' },
    pre: {
      open: () => (preformatted++ === 0 ? '\n\n```\n' : ''),
      close() {
        preformatted = Math.max(0, preformatted - 1);
        return preformatted === 0 ? '\n```\n\n' : '';
      },
    },
    code: { open: () => (preformatted > 0 ? '' : '`'), close: () => (preformatted > 0 ? '' : '`') },
    tr: {
      open() {
        cells = 0;
        return '\n|';
      },
      close: () => '',
    },
    td: cell,
    th: cell,
    thead: { open: () => '', close: () => `\n|${' --- |'.repeat(cells)}` },
    a: {
      open(attributes) {
        const [, address = ''] = /href="(https?:[^"]*)"/i.exec(attributes) ?? [];
        links.push(decoded(address));
        return address === '' ? '' : '[';
      },
      close() {
        const address = links.pop() ?? '';
        return address === '' ? '' : `](${address})`;
      },
    },
  };

  function marksOf(name: string, isClosing: boolean, attributes: string): string {
    const element = Object.hasOwn(depending, name) ? depending[name] : undefined;
    if (element) return isClosing ? element.close() : element.open(attributes);
    const marks = Object.hasOwn(around, name) ? around[name] : undefined;
    return marks?.[isClosing ? 1 : 0] ?? '';
  }

  return {
    tag(isClosing: boolean, name: string, attributes: string) {
      if (withoutContent.test(name)) hidden = Math.max(0, hidden + (isClosing ? -1 : 1));
      // A paragraph in an item or cell opens no new line.
      else if (name === 'p' && (lists.length > 0 || /\| ?[^\n]*$/.test(text.slice(-200)))) text += isClosing ? ' ' : '';
      else text += marksOf(name, isClosing, attributes);
    },
    text(piece: string) {
      if (hidden > 0) return;
      text += preformatted > 0 ? decoded(piece) : decoded(piece.replace(/\s+/g, ' '));
    },
    whole: () =>
      text
        .replace(/[^\S\n]+\n/g, '\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
  };
}

const tags = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>/gi;

/** HTML as Markdown: paragraphs, headings, lists, tables, code and links. Everything else leaves its text. */
export function markdownOf(html: string): string {
  const writer = createWriter();
  let from = 0;
  for (const match of html.matchAll(tags)) {
    writer.text(html.slice(from, match.index));
    from = match.index + match[0].length;
    const [, slash = '', name, attributes = ''] = match;
    if (name !== undefined) writer.tag(slash === '/', name.toLowerCase(), attributes);
  }
  writer.text(html.slice(from));
  return writer.whole();
}
