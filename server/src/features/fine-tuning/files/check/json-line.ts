import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { truncate } from '@roster/contracts/text/truncate';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { withoutImageData } from './image-data.ts';

/** Result of reading a line, before its fields are checked. */
type ReadLine =
  | { kind: 'blank' }
  | { kind: 'wrong'; message: string; fix: string }
  | { kind: 'object'; value: JsonObject };

/** 64-bit hash of a line's content, however it is spaced and its fields are ordered. */
export type ContentKey = { high: number; low: number };

/** JSON Schemas of tools nest deepest in an example, and stay far below this. */
const deepest = 64;

/** Longer lines are inspected before they are parsed. */
const looksInto = 256 * 1024;
const mostValues = 100_000;

/** Longest line that is parsed. An example of 65,536 tokens is about a tenth of it. */
const parsedLimit = 4 * 1024 * 1024;

const wrong = (message: string, fix: string): ReadLine => ({ kind: 'wrong', message, fix });

const isBlank = (bytes: Buffer) => {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
};

/**
 * `imagesApart`: images do not count towards the length of the line, and the value contains only what `imageData` reads
 * of them.
 */
export function readLine(line: Buffer | undefined, { imagesApart }: { imagesApart: boolean }): ReadLine {
  const bytes = line && imagesApart ? withoutImageData(line) : line;
  if (!bytes || bytes.length > parsedLimit)
    return wrong(
      `The line is longer than ${parsedLimit / 1024 / 1024} MB${bytes === line ? '' : ', without its images'}.`,
      'Shorten the example, or put each example on a line of its own.',
    );
  if (isBlank(bytes)) return { kind: 'blank' };
  if (!isUtf8(bytes)) return wrong('The line is not valid UTF-8.', 'Save the file with the encoding UTF-8.');
  if (bytes.includes(0)) return wrong('The line contains a NUL byte.', 'Remove it.');
  const excess = bytes.length > looksInto ? excessOf(bytes) : undefined;
  if (excess) return excess;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    const reason = error instanceof Error ? shortened(error.message) : 'it cannot be read';
    return wrong(`The line is not valid JSON: ${reason}.`, 'Write one complete JSON object on each line.');
  }
  if (!isObject(value)) return wrong('The line is not a JSON object.', 'Write one JSON object, {…}, on each line.');
  return isDeep(value, 0) ? tooDeep : { kind: 'object', value };
}

const tooDeep = wrong(`The line is nested more than ${deepest} levels deep.`, 'Use fewer levels.');

function isDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= deepest || Object.values(value).some((inner) => isDeep(inner, depth + 1));
}

const [quotationMark, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Detects what would take a hundred times its size in memory once parsed. Counts bytes outside of strings; in invalid
 * JSON the count means nothing, and does no harm.
 */
function excessOf(bytes: Buffer): ReadLine | undefined {
  let [depth, values, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quotationMark) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === comma) values++;
    else if (byte === openList || byte === openObject) {
      depth++;
      values++;
    } else if (byte === closeList || byte === closeObject) depth--;
    if (depth > deepest) return tooDeep;
  }
  if (values <= mostValues) return undefined;
  return wrong(`The line contains more than ${mostValues} values.`, 'Put each example on a line of its own.');
}

const shortened = (text: string) => {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').replace(/\.$/, '');
  return line.length > 160 ? `${truncate(line, 160).toWellFormed()}…` : line;
};

/** A text from the file for use in a message: short, on one line, in quotation marks. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const letters = truncate(text, 40).toWellFormed().replace(/\p{C}/gu, '�');
  return `“${letters}${text.length > 40 ? '…' : ''}”`;
}

export function contentKey(value: JsonObject): ContentKey {
  const digest = hash('sha256', normal(value), 'buffer');
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

/** The same text for the same content. Strings carry their length instead of being escaped, which is faster. */
function normal(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(normal).join(',')}]`;
  const names = Object.keys(value).sort();
  const fields = new Map(Object.entries(value));
  return `{${names.map((name) => `${normal(name)}=${normal(fields.get(name))}`).join(',')}}`;
}
