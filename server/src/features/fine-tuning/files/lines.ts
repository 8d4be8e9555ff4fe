import { fileSizeLimit } from '@roster/contracts/files/files';

/** One line without its terminator; `bytes` is undefined if it was too long to hold. */
export type Line = { number: number; bytes: Buffer | undefined };

/** Longest line that is held: an example with images can take a whole file. */
const lineLimit = fileSizeLimit;

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Cuts incoming bytes into lines; holds one line, never more than the limit. */
export function lineReader(take: (line: Line) => void, limit = lineLimit) {
  let pieces: Buffer[] = [];
  let size = 0;
  let isTooLong = false;
  let number = 0;

  function keep(piece: Buffer) {
    size += piece.length;
    // One byte more: the carriage return is not part of the line.
    if (size > limit + 1) {
      isTooLong = true;
      pieces = [];
    }
    if (!isTooLong && piece.length > 0) pieces.push(piece);
  }

  function finish() {
    number++;
    const [first] = pieces;
    const whole = pieces.length === 1 && first ? first : Buffer.concat(pieces);
    const bytes = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    take({ number, bytes: isTooLong || bytes.length > limit ? undefined : bytes });
    pieces = [];
    size = 0;
    isTooLong = false;
  }

  return {
    push(chunk: Buffer) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, end));
        finish();
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    /** The last line needs no line break. */
    end() {
      if (size > 0) finish();
    },
  };
}
