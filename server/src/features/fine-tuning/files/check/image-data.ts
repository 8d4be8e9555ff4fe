import { hash, randomUUID } from 'node:crypto';

/** Shorter data stays in its line. */
const shortest = 1024;
/** No file can contain it, so text that begins with it was written here. */
const mark = randomUUID();
const opening = Buffer.from('"data:');
const [quotationMark, backslash, slash, comma, padding] = [0x22, 0x5c, 0x2f, 0x2c, 0x3d];
/** Matches the key of a value, just before the value. */
const urlKey = /"url"[ \t]*:[ \t]*$/;
const headOfImage = /^data:image\\?\/[\w.+-]+;base64$/i;

type ImageData = { bytes: number; isBase64: boolean };

/**
 * Replaces the data of long images in a line by its digest and size: only these are checked of an image, and a line may
 * hold 50 MB of data, which must not be parsed.
 */
export function withoutImageData(line: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let taken = 0;
  for (let at = line.indexOf(opening); at >= 0; at = line.indexOf(opening, at + 1)) {
    const found = imageAt(line, at);
    if (!found) continue;
    const { bytes, isBase64 } = measure(found.data);
    const summary = [mark, hash('sha256', found.data), bytes, isBase64 ? 'whole' : 'damaged'].join(':');
    pieces.push(line.subarray(taken, found.from), Buffer.from(summary));
    taken = found.end;
    at = found.end;
  }
  return taken === 0 ? line : Buffer.concat([...pieces, line.subarray(taken)]);
}

/** Size of the data after the comma of a data URL. `isBase64` is true if it can be decoded. */
export function imageData(text: string): ImageData {
  const [start, , bytes, state] = text.split(':', 4);
  return start === mark ? { bytes: Number(bytes), isBase64: state === 'whole' } : measure(Buffer.from(text));
}

/** Finds an image whose JSON string begins at `at`. */
function imageAt(line: Buffer, at: number): { from: number; end: number; data: Buffer } | undefined {
  if (!urlKey.test(line.toString('latin1', Math.max(0, at - 32), at))) return undefined;
  const from = line.indexOf(comma, at) + 1;
  const end = line.indexOf(quotationMark, at + 1);
  if (from === 0 || from > end || !headOfImage.test(line.toString('latin1', at + 1, from - 1))) return undefined;
  const data = unescaped(line.subarray(from, end));
  return data && data.length >= shortest ? { from, end, data } : undefined;
}

/**
 * Some programs write a backslash before a slash. Returns undefined if there are other escapes, which base64 never has.
 */
function unescaped(data: Buffer): Buffer | undefined {
  if (!data.includes(backslash)) return data;
  const plain = Buffer.allocUnsafe(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at++) {
    if (data[at] === backslash && data[++at] !== slash) return undefined;
    plain[length++] = data[at] ?? 0;
  }
  return plain.subarray(0, length);
}

const isDigit = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')) isDigit[byte] = 1;

/** Only the last two characters of base64 may be padding. */
function measure(data: Buffer): ImageData {
  let end = data.length;
  while (end > data.length - 2 && data[end - 1] === padding) end--;
  const isBase64 = end > 0 && data.length % 4 === 0 && data.subarray(0, end).every((byte) => isDigit[byte] === 1);
  return { bytes: Math.floor((end * 3) / 4), isBase64 };
}
