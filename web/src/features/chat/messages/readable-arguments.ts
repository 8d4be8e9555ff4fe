import { indentJson, parseJsonLosslessly, RawNumber } from '#web/lib/text/json-text.ts';

/** Arguments of a tool call in readable form: one name and value per line, nested ones indented. */
type ArgumentLine = { key: string; depth: number; name: string; value: string | null };

const deepest = 5;
const maxLines = 200;

/** Invisible and bidi control characters could make arguments look different from what is sent. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/gu;
export const escapeInvisible = (text: string) =>
  text.replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(4, '0')}}`);

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
type Group = unknown[] | Map<string, unknown>;
const isGroup = (value: unknown): value is Group => isList(value) || value instanceof Map;

const innerOf = (value: Group): [string, unknown][] =>
  isList(value) ? value.map((item, index) => [String(index + 1), item]) : [...value];

/** null if they are not an object, or too many or too deep for lines; then show the JSON. */
export function argumentLines(json: string): ArgumentLine[] | null {
  let given: unknown;
  try {
    given = parseJsonLosslessly(json);
  } catch {
    return null;
  }
  if (!isGroup(given) || isList(given)) return null;
  const lines: ArgumentLine[] = [];
  const open: { key: string; name: string; value: unknown; depth: number }[] = [];
  const put = (value: Group, depth: number, key: string) => {
    for (const [name, inner] of innerOf(value).reverse())
      open.push({ key: `${key}/${name}`, name, value: inner, depth });
  };
  put(given, 0, '');
  for (let next = open.pop(); next; next = open.pop()) {
    const { key, depth, value } = next;
    if (depth > deepest || lines.length >= maxLines) return null;
    const isOpened = isGroup(value) && innerOf(value).length > 0;
    lines.push({ key, depth, name: escapeInvisible(next.name), value: isOpened ? null : textOf(value) });
    if (isOpened) put(value, depth + 1, key);
  }
  return lines;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : escapeInvisible(value);
  if (isGroup(value)) return isList(value) ? '(empty list)' : '(nothing)';
  return value instanceof RawNumber ? value.text : String(value);
}

/** The full arguments, indented if they are JSON. */
export function argumentText(json: string): string {
  try {
    return escapeInvisible(indentJson(json));
  } catch {
    return escapeInvisible(json);
  }
}
