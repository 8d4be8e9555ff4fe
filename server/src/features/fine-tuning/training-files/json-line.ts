import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What can be said of a line before its fields are looked at. */
export type ReadLine =
  | { kind: 'blank' }
  | { kind: 'wrong'; message: string; fix: string }
  | { kind: 'object'; value: JsonObject; key: ContentKey };

/** 64 bits of a hash of what a line says, however it is spaced and its fields are ordered. */
export type ContentKey = { high: number; low: number };

/** JSON Schemas of tools are what nests deepest in an example, and they are far from this. */
const deepest = 64;

const wrong = (message: string, fix: string): ReadLine => ({ kind: 'wrong', message, fix });

const isBlank = (bytes: Buffer) => {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
};

export function readLine(bytes: Buffer | undefined, limit: number): ReadLine {
  if (!bytes)
    return wrong(
      `The line is longer than ${Math.floor(limit / 1024 / 1024)} MB.`,
      'Shorten the example, or put each example on a line of its own.',
    );
  if (isBlank(bytes)) return { kind: 'blank' };
  if (!isUtf8(bytes)) return wrong('The line is not valid UTF-8.', 'Save the file with the encoding UTF-8.');
  if (bytes.includes(0)) return wrong('The line has a NUL byte in it.', 'Remove it; nothing of a text needs one.');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    const said = error instanceof Error ? shortened(error.message) : 'it cannot be read';
    return wrong(`The line is not valid JSON: ${said}.`, 'Write one complete JSON object on each line.');
  }
  if (!isObject(value)) return wrong('The line is not a JSON object.', 'Write one JSON object, {…}, on each line.');
  const key = contentKey(value);
  if (!key) return wrong(`The line is nested more than ${deepest} levels deep.`, 'Make the values flatter.');
  return { kind: 'object', value, key };
}

const shortened = (text: string) => {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').replace(/\.$/, '');
  return line.length > 160 ? `${line.slice(0, 160).toWellFormed()}…` : line;
};

/** A text from the file as it can stand in a message: short, on one line, in quotation marks. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const letters = text.slice(0, 40).toWellFormed().replace(/\p{C}/gu, '�');
  return `“${letters}${text.length > 40 ? '…' : ''}”`;
}

/** undefined: nested too deep. */
function contentKey(value: JsonObject): ContentKey | undefined {
  const text = normal(value, 0);
  if (text === undefined) return undefined;
  const digest = hash('sha256', text, 'buffer');
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

/** The same text for the same content. Strings carry their length instead of being escaped, which is quicker. */
function normal(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= deepest) return undefined;
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const [name, item] of isList ? value.entries() : sortedEntries(value)) {
    const inner = normal(item, depth + 1);
    if (inner === undefined) return undefined;
    text += isList ? `${inner},` : `${normal(name, depth)}=${inner},`;
  }
  return `${text}${isList ? ']' : '}'}`;
}

const sortedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
