/** Matches strings and numbers of a JSON text. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A number with its original digits, which a JavaScript number could round. */
export class RawNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Reverses the marking: strings start with `$`, numbers are strings that start with `#`. */
function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('#') ? new RawNumber(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name.slice(1), unmarked(inner)]));
}

const marked = (text: string): unknown =>
  JSON.parse(text.replace(token, (found) => (found.startsWith('"') ? `"$${found.slice(1)}` : `"#${found}"`)));

/**
 * Parses JSON without loss: numbers keep their digits, objects become maps in source order.
 * @throws SyntaxError
 */
export function parseJsonLosslessly(text: string): unknown {
  // Rejects invalid JSON, which marking could make valid.
  JSON.parse(text);
  return unmarked(marked(text));
}

/**
 * Indents JSON and keeps its numbers as written.
 * @throws SyntaxError
 */
export function indentJson(text: string): string {
  JSON.parse(text);
  const lines = JSON.stringify(marked(text), undefined, 2);
  return lines.replace(token, (found) => (found.startsWith('"#') ? found.slice(2, -1) : `"${found.slice(2)}`));
}
