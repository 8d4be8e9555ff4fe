import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#server/config/config';
import { diskStore } from './disk.ts';
import type { FileStore } from './file-store.ts';
import { guardedStore } from './guarded-store.ts';

type Place = Pick<Config, 'dataDir' | 's3'>;

const folderIn = (dataDir: string) => join(dataDir, 'files');

/**
 * The data folder, unless an S3-compatible store is configured. Never creates the folder: if it is missing, its disk
 * may be too.
 */
export async function openFileStore({ dataDir, s3 }: Place): Promise<FileStore> {
  if (!s3) return guardedStore(diskStore(folderIn(dataDir)));
  const { s3Store } = await import('./s3.ts');
  return guardedStore(s3Store(s3));
}

/** The same for an installation without files: creates the folder. */
export async function createFileStore(place: Place): Promise<FileStore> {
  if (!place.s3) await mkdir(folderIn(place.dataDir), { recursive: true, mode: 0o700 });
  return openFileStore(place);
}
