import type { ImportedFile } from '#server/conversation/imported';
import { AppError } from '#server/lib/errors';
import { type ArchiveEntry, openArchive } from './readers/archive.ts';
import { isZip } from './readers/read-export.ts';

/** The archive is damaged at this place; the rest of it can be imported. */
async function* readable(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) yield chunk;
  } catch (error) {
    throw new AppError('invalid_input', 'The file is damaged in the archive.', { cause: error });
  }
}

async function* inChunks(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

/** The files of an export, whose archive is opened for the first of them. */
export function archiveFiles(path: string) {
  let opened: Promise<{ entries: Map<string, ArchiveEntry>; close: () => void }> | undefined;

  async function open() {
    if (!(await isZip(path))) return { entries: new Map<string, ArchiveEntry>(), close: () => undefined };
    const { others, close } = await openArchive(path, () => false);
    return { entries: new Map(others.map((entry) => [entry.name, entry])), close };
  }

  return {
    /** undefined: the archive does not contain it. */
    async open({ entry, content }: ImportedFile): Promise<AsyncIterable<Buffer> | undefined> {
      if (content !== undefined) return inChunks(Buffer.from(content));
      opened ??= open();
      const found = (await opened).entries.get(entry);
      return found && readable(found.read());
    },
    async close() {
      (await opened)?.close();
    },
  };
}
