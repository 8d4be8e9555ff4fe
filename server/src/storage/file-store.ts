import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';

/** The name of stored bytes. Names from rows, jobs or backups are parsed first, because they become paths. */
export const FileKey = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'This names no stored bytes')
  .brand('FileKey');
export type FileKey = z.output<typeof FileKey>;

/** Stores the bytes of files under generated names. */
export type FileStore = {
  /** Resolves when all bytes are stored and would survive a power cut; otherwise nothing is left. */
  put: (key: FileKey, content: AsyncIterable<Buffer>) => Promise<void>;
  /** @throws BytesNotFoundError if missing, before the first byte */
  read: (key: FileKey) => Promise<Readable>;
  /** Removes the bytes of this key, including the rest of a broken `put`; missing bytes are fine. */
  remove: (key: FileKey) => Promise<void>;
  /** Remaining capacity in bytes; undefined: unknown. */
  freeBytes: () => Promise<number | undefined>;
  /** Resolves if the store responds. */
  check: () => Promise<void>;
};

/** The store responds, but has nothing under this name. */
export class BytesNotFoundError extends Error {
  override name = 'BytesNotFoundError';
}

/** A new random name, so that it reveals nothing about a user or file. */
export const newFileKey = (): FileKey => FileKey.parse(randomBytes(16).toString('hex'));

/** undefined: the stored name is invalid. */
export const fileKeyOf = (stored: string): FileKey | undefined => FileKey.safeParse(stored).data;
