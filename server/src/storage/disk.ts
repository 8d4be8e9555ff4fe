import { createWriteStream } from 'node:fs';
import { access, constants, open, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BytesNotFoundError, type FileKey, type FileStore } from './file-store.ts';

/** Files in one local folder, which must exist: it is never created here. */
export function diskStore(folder: string): FileStore {
  const finalPath = (key: FileKey) => join(folder, key);
  const partialPath = (key: FileKey) => join(folder, `${key}.part`);

  /** Without it a new or deleted name may be undone by a power cut. */
  async function syncFolder() {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  }

  return {
    async put(key, content) {
      const target = createWriteStream(partialPath(key), { flags: 'wx', mode: 0o600, flush: true });
      try {
        await pipeline(content, target);
        await rename(partialPath(key), finalPath(key));
        await syncFolder();
      } catch (error) {
        // Until it is closed the stream may still be creating the file.
        if (!target.closed) await new Promise<void>((resolve) => target.once('close', () => resolve()));
        await rm(partialPath(key), { force: true });
        await rm(finalPath(key), { force: true });
        throw error;
      }
    },
    async read(key) {
      const handle = await open(finalPath(key), 'r').catch(async (cause: unknown) => {
        await access(folder);
        throw cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
          ? new BytesNotFoundError(cause.message, { cause })
          : cause;
      });
      return handle.createReadStream();
    },
    async remove(key) {
      await rm(partialPath(key), { force: true });
      await rm(finalPath(key), { force: true });
      await syncFolder();
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    check: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
  };
}
