import { afterSpace, endOfPlain, endOfString } from './json-tree.ts';

/** Deeper levels stay on one line: their indentation would exceed the text. */
const indentedLevels = 32;

function* tokensIn(text: string) {
  for (let at = afterSpace(text, 0); at < text.length; ) {
    const unit = text[at] ?? '';
    const end = unit === '"' ? endOfString(text, at) : /[{}[\],:]/.test(unit) ? at + 1 : endOfPlain(text, at);
    yield text.slice(at, end);
    at = afterSpace(text, end);
  }
}

const opens = (token: string) => token === '{' || token === '[';
const closes = (token: string) => token === '}' || token === ']';

/** Indents JSON and keeps names, strings and numbers as written. The text must be valid JSON. */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  const newLine = (inside: number) => (inside > indentedLevels ? '' : `\n${'  '.repeat(depth)}`);
  for (const token of tokensIn(text)) {
    if (closes(token)) {
      depth--;
      if (!opens(before)) parts.push(newLine(depth + 1));
    } else if (opens(before)) parts.push(newLine(depth));
    else if (before === ',') parts.push(newLine(depth) || ' ');
    parts.push(token === ':' ? ': ' : token);
    if (opens(token)) depth++;
    before = token;
  }
  return parts.join('');
}
