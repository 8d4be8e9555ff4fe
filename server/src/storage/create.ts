import { join } from 'node:path';
import type { Config } from '#server/config';
import { diskStore } from './disk.ts';
import type { FileStore } from './file-store.ts';
import { watchedStore } from './watched.ts';

/** The data folder, unless an S3-compatible store is configured. */
export async function createFileStore({ dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>): Promise<FileStore> {
  if (!s3) return watchedStore(diskStore(join(dataDir, 'files')));
  const { s3Store } = await import('./s3.ts');
  return watchedStore(s3Store(s3));
}
