import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#server/config/config';
import { diskStore } from './disk.ts';
import type { FileStore } from './file-store.ts';
import { guardedStore } from './guarded-store.ts';

type Place = Pick<Config, 'dataDir' | 's3'>;

const folderIn = (dataDir: string) => join(dataDir, 'files');

/** The data folder, unless an S3-compatible store is configured. A folder that is gone, with its disk maybe, stays so. */
export async function openFileStore({ dataDir, s3 }: Place): Promise<FileStore> {
  if (!s3) return guardedStore(diskStore(folderIn(dataDir)));
  const { s3Store } = await import('./s3.ts');
  return guardedStore(s3Store(s3));
}

/** The same of an installation that has no file yet: the folder is made. */
export async function createFileStore(place: Place): Promise<FileStore> {
  if (!place.s3) await mkdir(folderIn(place.dataDir), { recursive: true, mode: 0o700 });
  return openFileStore(place);
}
