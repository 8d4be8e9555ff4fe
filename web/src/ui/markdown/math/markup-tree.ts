/** Markup from a trusted renderer (KaTeX, the highlighter) as plain data. */
export type MarkupNode =
  | { kind: 'text'; text: string }
  | { kind: 'element'; name: string; attributes: Map<string, string>; children: MarkupNode[] };

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#x27', "'"],
]);
const decodeText = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (whole, name) => entities.get(name) ?? whole);

const tag = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g;
const attribute = /([\w:-]+)="([^"]*)"/g;

/**
 * Parses the well-formed markup that KaTeX prints (text escaped, attributes in double quotes). It never reaches the
 * page as HTML, but becomes React elements from an allow list.
 */
export function readMarkup(markup: string): MarkupNode[] {
  const root: MarkupNode[] = [];
  const open: { name: string; children: MarkupNode[] }[] = [{ name: '', children: root }];
  let position = 0;
  const addText = (until: number) => {
    if (until > position) open.at(-1)?.children.push({ kind: 'text', text: decodeText(markup.slice(position, until)) });
  };
  for (const match of markup.matchAll(tag)) {
    const [whole, closing, name = '', attributes = '', selfClosing] = match;
    addText(match.index);
    position = match.index + whole.length;
    if (closing) {
      if (open.length > 1 && open.at(-1)?.name === name) open.pop();
      continue;
    }
    const element: MarkupNode = {
      kind: 'element',
      name,
      attributes: new Map(
        [...attributes.matchAll(attribute)].map(([, key = '', value = '']) => [key, decodeText(value)]),
      ),
      children: [],
    };
    open.at(-1)?.children.push(element);
    if (!selfClosing) open.push({ name, children: element.children });
  }
  addText(markup.length);
  return root;
}

/**
 * Converts a style attribute to an object; React sets it through the style API, which the content security policy
 * allows.
 */
export function readStyle(style: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const declaration of style.split(';')) {
    const colon = declaration.indexOf(':');
    const name = declaration.slice(0, Math.max(colon, 0)).trim();
    const value = declaration.slice(colon + 1).trim();
    if (!/^[a-z-]+$/.test(name) || value === '' || /url\s*\(|image|expression/i.test(value)) continue;
    result[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value;
  }
  return result;
}
