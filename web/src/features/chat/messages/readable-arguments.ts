import { indentJson, parseJsonLosslessly, RawNumber } from '#web/lib/json-text.ts';

/** What a tool is called with, as a person reads it: a name and its value in each line, the inner ones indented. */
export type ArgumentLine = { key: string; depth: number; name: string; value: string | null };

const deepest = 5;
const linesAtMost = 200;

/** Characters that are not seen, or turn the direction of others, could show something else than what is sent. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/gu;
export const escapeInvisible = (text: string) =>
  text.replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(4, '0')}}`);

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
type Group = unknown[] | Map<string, unknown>;
const isGroup = (value: unknown): value is Group => isList(value) || value instanceof Map;

const innerOf = (value: Group): [string, unknown][] =>
  isList(value) ? value.map((item, index) => [String(index + 1), item]) : [...value];

/** Null: they are no object, or too many or too deep to be read in lines; then they are shown as they are. */
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
    if (depth > deepest || lines.length >= linesAtMost) return null;
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

/** All of it as it is, in lines where it is JSON. */
export function argumentText(json: string): string {
  try {
    return escapeInvisible(indentJson(json));
  } catch {
    return escapeInvisible(json);
  }
}
