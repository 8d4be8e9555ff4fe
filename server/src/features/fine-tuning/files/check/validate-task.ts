import { lineReader } from '#server/features/fine-tuning/files/lines';
import type { TaskRunner, Tasks } from '#server/features/fine-tuning/files/task';
import type { tokenCounter } from '#server/features/fine-tuning/files/tokens/tokenizer';
import { fileCheck } from './file-check.ts';
import { detectContent } from './first-bytes.ts';

/** Checks one file after the other, and compares each with the first. */
export async function validateJob(
  { model, limits }: Tasks['validate']['order'],
  counterOf: typeof tokenCounter,
): Promise<TaskRunner<'validate'>> {
  const countText = await counterOf(model);
  type File = {
    check: ReturnType<typeof fileCheck>;
    reader: ReturnType<typeof lineReader>;
    enough: boolean;
    started: boolean;
  };
  const files: File[] = [];

  function open(): File {
    const check = fileCheck({ limits, countText, other: files[0]?.check.seen });
    const file = { check, reader: lineReader(check.take), enough: false, started: false };
    files.push(file);
    return file;
  }
  let current = open();

  function begin(file: File, chunk: Buffer): Buffer {
    file.started = true;
    const content = detectContent(chunk);
    if (content.kind === 'other') {
      file.check.tell('error', content.message, content.fix);
      file.enough = true;
      return chunk;
    }
    if (!content.hasMark) return chunk;
    file.check.tell('warning', 'The file begins with a byte order mark.', 'Save it as UTF-8 without a mark (BOM).');
    return chunk.subarray(3);
  }

  return {
    take(chunk) {
      const bytes = current.started ? chunk : begin(current, chunk);
      if (!current.enough) current.reader.push(bytes);
      return current.enough;
    },
    next() {
      if (!current.enough) current.reader.end();
      current = open();
    },
    // The last `next` opened a file that nothing followed in.
    result: () => files.slice(0, -1).map(({ check }) => check.findings()),
  };
}
