import { notAnExport, UnreadableExportError } from './conversation.ts';

/** One conversation; the longest honest ones have a few megabytes. */
const valueBytes = 48 * 1024 * 1024;
const nestingLimit = 1_000;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const damaged = () =>
  new UnreadableExportError('The file is damaged: it is not valid JSON. Download the export again.');
const incomplete = () =>
  new UnreadableExportError('The file is incomplete: its end is missing. Download the export again.');

/** An element of a list that is not valid JSON. */
export const brokenValue = Symbol('broken value');

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return brokenValue;
  }
}

/** Tells if a value begins or ends at a byte; `none` nearly always. */
type Mark = 'none' | 'beginsHere' | 'beginsAfter' | 'endsHere' | 'endsAfter';

/** Finds the elements of a list, or the one object, byte by byte. */
function createScanner() {
  let depth = 0;
  let [inText, isEscaped, isList, isStarted, isOver] = [false, false, false, false, false];

  function insideText(byte: number) {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) inText = false;
  }

  function opening(byte: number): Mark {
    if (isSpace(byte)) return 'none';
    isStarted = true;
    isList = byte === openList;
    if (!isList && byte !== openObject) throw notAnExport();
    depth = isList ? 0 : 1;
    return isList ? 'beginsAfter' : 'beginsHere';
  }

  function closing(): Mark {
    depth--;
    isOver = isList ? depth < 0 : depth === 0;
    if (!isOver) return 'none';
    return isList ? 'endsHere' : 'endsAfter';
  }

  function outsideText(byte: number): Mark {
    if (byte === quote) inText = true;
    else if (byte === openList || byte === openObject) {
      if (++depth > nestingLimit) throw damaged();
    } else if (byte === closeList || byte === closeObject) return closing();
    else if (byte === comma && isList && depth === 0) return 'endsHere';
    return 'none';
  }

  return {
    isOver: () => isOver,
    isInside: () => isStarted && !isOver,
    step(byte: number): Mark {
      if (inText) {
        insideText(byte);
        return 'none';
      }
      if (!isStarted) return opening(byte);
      if (!isOver) return outsideText(byte);
      if (isSpace(byte)) return 'none';
      throw damaged();
    },
  };
}

/** The bytes of one value, which may come in several chunks. */
function createCollector() {
  let pieces: Buffer[] = [];
  let size = 0;
  return {
    keep(piece: Buffer) {
      size += piece.length;
      if (size > valueBytes)
        throw new UnreadableExportError(
          `A single conversation in this file is larger than ${valueBytes / 1024 / 1024} MB. Roster cannot read it.`,
        );
      pieces.push(piece);
    },
    *value(): Generator<unknown> {
      const bytes = Buffer.concat(pieces);
      pieces = [];
      size = 0;
      // An empty list has no element.
      if (bytes.some((byte) => !isSpace(byte))) yield parsed(bytes);
    },
  };
}

/** Feeds a chunk to the scanner, and yields the values that end in it. */
function* valuesIn(
  chunk: Buffer,
  scanner: ReturnType<typeof createScanner>,
  collected: ReturnType<typeof createCollector>,
): Generator<unknown> {
  let from = 0;
  for (let at = 0; at < chunk.length; at++) {
    const mark = scanner.step(chunk[at] ?? 0);
    if (mark === 'none') continue;
    const end = mark === 'beginsAfter' || mark === 'endsAfter' ? at + 1 : at;
    if (mark === 'endsHere' || mark === 'endsAfter') {
      collected.keep(chunk.subarray(from, end));
      yield* collected.value();
    }
    from = mark === 'endsHere' ? at + 1 : end;
  }
  // A copy, because the chunk may be part of a larger buffer.
  if (scanner.isInside()) collected.keep(Buffer.from(chunk.subarray(from)));
}

const byteOrderMark = Buffer.from('\ufeff');

/**
 * The elements of a JSON list, or the one value that the text is; `brokenValue` for one that is not valid. Only one of
 * them is in memory at a time, however long the text is.
 * @throws UnreadableExportError
 */
export async function* jsonValues(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  const scanner = createScanner();
  const collected = createCollector();
  let isFirst = true;
  for await (const whole of chunks) {
    const chunk = isFirst && whole.subarray(0, 3).equals(byteOrderMark) ? whole.subarray(3) : whole;
    isFirst = false;
    yield* valuesIn(chunk, scanner, collected);
  }
  if (!scanner.isOver()) throw incomplete();
}

/** The values of a text with one in each line. Lines that are not valid are left out. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      yield* lineIn(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > valueBytes) throw damaged();
  }
  yield* lineIn(rest);
}

const lineFeed = 0x0a;

function* lineIn(bytes: Buffer): Generator<unknown> {
  if (bytes.every(isSpace)) return;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return;
  }
  yield value;
}
