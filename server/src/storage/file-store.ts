import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';

/** The name of stored bytes. A name from a row, a job or a backup is parsed first, because it becomes a path. */
export const FileKey = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'This names no stored bytes')
  .brand('FileKey');
export type FileKey = z.output<typeof FileKey>;

/** Where the bytes of files are kept, under names that the server makes. */
export type FileStore = {
  /** Resolves when the bytes are there whole and would survive a power cut; otherwise nothing is left. */
  put: (key: FileKey, content: AsyncIterable<Buffer>) => Promise<void>;
  /** @throws BytesNotFoundError where there is none, before the first byte */
  read: (key: FileKey) => Promise<Readable>;
  /** Removes what is there under this key, the rest of a broken `put` included; nothing there is fine. */
  remove: (key: FileKey) => Promise<void>;
  /** How much more can be stored; undefined: unknown. */
  freeBytes: () => Promise<number | undefined>;
  /** Resolves when it is there and answers. */
  check: () => Promise<void>;
};

/** The store is there, and has nothing under this name. */
export class BytesNotFoundError extends Error {
  override name = 'BytesNotFoundError';
}

/** A new name: random, so that nothing of a person or a file is in it. */
export const newFileKey = (): FileKey => FileKey.parse(randomBytes(16).toString('hex'));

/** undefined: what is stored as a name is none. */
export const fileKeyOf = (stored: string): FileKey | undefined => FileKey.safeParse(stored).data;
