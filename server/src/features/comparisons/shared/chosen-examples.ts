import { type Example, readExample } from './example-line.ts';

/** Bytes of a line. A longer one is skipped. */
const longestLine = 256 * 1024;
const newline = 0x0a;

/** Lines of a text, as they arrive; lines that are too long are skipped without being held. */
async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= longestLine) pieces.push(piece);
    else pieces = [];
  };
  const take = (): string | undefined => {
    const line = length > 0 && length <= longestLine ? Buffer.concat(pieces).toString() : undefined;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    add(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}

async function* examplesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Example> {
  let isFirst = true;
  for await (const line of linesOf(content)) {
    const example = readExample(isFirst ? line.replace(/^\uFEFF/, '') : line);
    isFirst = false;
    if (example) yield example;
  }
}

/**
 * Up to `count` examples, evenly spread over the file: every second one of twenty, for ten. The file is read twice,
 * first to count, so that only the chosen ones are held.
 */
export async function chosenExamples(read: () => Promise<AsyncIterable<Buffer>>, count: number): Promise<Example[]> {
  let usable = 0;
  for await (const _ of examplesOf(await read())) usable++;
  const wanted = Math.min(count, usable);
  const chosen: Example[] = [];
  if (wanted === 0) return chosen;
  const placeOf = (index: number) => Math.floor(((index + 0.5) * usable) / wanted);
  let place = 0;
  for await (const example of examplesOf(await read())) {
    if (place === placeOf(chosen.length)) chosen.push(example);
    if (chosen.length === wanted) return chosen;
    place++;
  }
  return chosen;
}
