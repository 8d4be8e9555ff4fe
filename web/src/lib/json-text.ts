/** Strings and numbers of a JSON text. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A number in the digits that were written, where a JavaScript number could be a rounded one. */
export class RawNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What a marked text stands for: every string begins with `$`, every number is a string that begins with `#`. */
function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('#') ? new RawNumber(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name.slice(1), unmarked(inner)]));
}

const marked = (text: string): unknown =>
  JSON.parse(text.replace(token, (found) => (found.startsWith('"') ? `"$${found.slice(1)}` : `"#${found}"`)));

/**
 * Reads JSON without changing it: numbers keep their digits, objects are maps in the order of the text.
 * @throws SyntaxError
 */
export function parseJsonLosslessly(text: string): unknown {
  // Marks could make JSON of what is none.
  JSON.parse(text);
  return unmarked(marked(text));
}

/** The same JSON in lines, with its numbers as they are written. @throws SyntaxError */
export function indentJson(text: string): string {
  JSON.parse(text);
  const lines = JSON.stringify(marked(text), undefined, 2);
  return lines.replace(token, (found) => (found.startsWith('"#') ? found.slice(2, -1) : `"${found.slice(2)}`));
}
