import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BytesNotFoundError, type FileStore, fileKeyOf } from '#server/storage/file-store';
import { UnreadableExportError } from './readers/conversation.ts';

const dayMs = 24 * 60 * 60_000;

const gone = (cause?: unknown) =>
  new UnreadableExportError('The uploaded file is no longer here. Please upload it again.', { cause });

/** Archives are read at random places, which file stores do not offer: each is copied to a file first. */
export function localCopies(store: Pick<FileStore, 'read'>, dataDir: string) {
  const folder = join(dataDir, 'imports');
  return {
    /** Calls `work` with the path of a copy, which is deleted afterwards. */
    async withCopy<T>(storedKey: string | null, work: (path: string) => Promise<T>): Promise<T> {
      const key = storedKey === null ? undefined : fileKeyOf(storedKey);
      if (key === undefined) throw gone();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const own = await mkdtemp(join(folder, 'copy-'));
      try {
        const path = join(own, 'export');
        const content = await store.read(key).catch((error: unknown) => {
          throw error instanceof BytesNotFoundError ? gone(error) : error;
        });
        await pipeline(content, createWriteStream(path, { mode: 0o600 }));
        return await work(path);
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
    /** Deletes the copies of processes that died. */
    async sweep() {
      const names = await readdir(folder).catch((): string[] => []);
      for (const name of names) {
        const path = join(folder, name);
        const changed = await stat(path).catch(() => undefined);
        if (changed && Date.now() - changed.mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

export type LocalCopies = ReturnType<typeof localCopies>;
