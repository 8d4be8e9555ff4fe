import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './identifiers.ts';

/** Named contents in memory, or as files of a folder. */
export type Storage = {
  read(name: string): Promise<Buffer | null>;
  write(name: string, content: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
};

export function memoryStorage(): Storage {
  const contents = new Map<string, Buffer>();
  return {
    read: async (name) => contents.get(name) ?? null,
    write: async (name, content) => {
      contents.set(name, content);
    },
    remove: async (name) => {
      contents.delete(name);
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function folderStorage(folder: string): Storage {
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async write(name, content) {
      await mkdir(folder, { recursive: true });
      // Renaming is atomic: a killed simulator leaves the old content or the new one, never half.
      const draft = join(folder, `${newId(`${name}.`)}.part`);
      await writeFile(draft, content);
      await rename(draft, join(folder, name));
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}
