import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Where the bytes of files are kept, under names that the server makes. */
export type FileStore = {
  /** Resolves when the bytes are there whole and would survive a power cut; otherwise nothing is left. */
  put: (key: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /** @throws where there is none, before the first byte */
  read: (key: string) => Promise<Readable>;
  /** Removes what is there under this key, the rest of a broken `put` included; nothing there is fine. */
  remove: (key: string) => Promise<void>;
  /** How much more can be stored; undefined: nobody knows. */
  freeBytes: () => Promise<number | undefined>;
};

/** A new name: random, so that nothing of a person or a file is in it. */
export const newFileKey = () => randomBytes(16).toString('hex');
