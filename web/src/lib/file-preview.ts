/** Parts of a file that can be shown without executing anything in it. */
export type Preview =
  | { kind: 'image'; image: Blob }
  | { kind: 'text'; text: string; isWhole: boolean }
  | { kind: 'table'; rows: string[][]; isWhole: boolean }
  | { kind: 'pdf' }
  | { kind: 'none' };

export const maxPreviewText = 65_536;
const largestImage = 25 * 1_048_576;
const maxRows = 100;
const maxColumns = 20;

const startsWith = (bytes: Uint8Array, text: string, at = 0) =>
  [...text].every((sign, index) => bytes[at + index] === sign.charCodeAt(0));

/** Detects the type from the bytes: names and content types are not reliable. */
function imageTypeOf(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
  if (startsWith(bytes, 'ftypavif', 4)) return 'image/avif';
  return undefined;
}

/** Decodes bytes that may end inside a character; undefined if they are not UTF-8 text. */
export function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

/** Parses delimited text with quoted fields as in RFC 4180. */
export function parseDelimited(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    row.push(field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') field += text[at++];
      else isQuoted = false;
    } else if (sign === '"' && field === '') isQuoted = true;
    else if (sign === delimiter) endField();
    else if (sign === '\n') endRow();
    else if (sign !== '\r') field += sign;
  }
  if (field !== '' || row.length > 0) endRow();
  return rows;
}

function asTable(filename: string, text: string, isWhole: boolean): Preview | undefined {
  const delimiter = /\.csv$/i.test(filename) ? ',' : /\.tsv$/i.test(filename) ? '\t' : undefined;
  if (delimiter === undefined) return undefined;
  const rows = parseDelimited(text, delimiter);
  // The last record may be incomplete.
  if (!isWhole && rows.length > 1) rows.pop();
  const isCut = rows.length > maxRows || rows.some(({ length }) => length > maxColumns);
  return {
    kind: 'table',
    rows: rows.slice(0, maxRows).map((row) => row.slice(0, maxColumns)),
    isWhole: isWhole && !isCut,
  };
}

/** Reads until `limit` bytes have arrived or the stream ends. */
async function readUpTo(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length < limit) {
    const { done, value } = await reader.read();
    if (done) return { chunks, isWhole: true };
    chunks.push(new Uint8Array(value));
    length += value.length;
  }
  return { chunks, isWhole: false };
}

/** Builds a preview of a file, reading no more than it needs. */
export async function readPreview(filename: string, content: Response): Promise<Preview> {
  const reader = content.body?.getReader();
  if (!reader) return { kind: 'none' };
  const { chunks, isWhole } = await readUpTo(reader, maxPreviewText + 1);
  const beginning = new Uint8Array(await new Blob(chunks).arrayBuffer());
  const type = imageTypeOf(beginning);
  if (type !== undefined) {
    const rest = isWhole ? { chunks: [], isWhole } : await readUpTo(reader, largestImage);
    if (rest.isWhole) return { kind: 'image', image: new Blob([...chunks, ...rest.chunks], { type }) };
  }
  // Stops the download.
  await reader.cancel();
  if (type !== undefined) return { kind: 'none' };
  if (startsWith(beginning, '%PDF-')) return { kind: 'pdf' };
  const shown = beginning.subarray(0, maxPreviewText);
  const text = decodeText(shown, isWhole);
  if (text === undefined) return { kind: 'none' };
  return asTable(filename, text, isWhole) ?? { kind: 'text', text, isWhole };
}
