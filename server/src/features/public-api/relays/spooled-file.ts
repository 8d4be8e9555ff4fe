import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file between its arrival and its departure: clients may name the model after it, and providers want its length.
 * It has no name in the folder, so nothing is left of it, whatever happens.
 */
export async function openSpooledFile(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomBytes(16).toString('hex'));
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  let bytes = 0;
  return {
    bytes: () => bytes,
    async write(content: AsyncIterable<Buffer>) {
      async function* counted() {
        for await (const chunk of content) {
          bytes += chunk.length;
          yield chunk;
        }
      }
      await handle.writeFile(counted());
    },
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    close: () => handle.close(),
  };
}

export type SpooledFile = Awaited<ReturnType<typeof openSpooledFile>>;
