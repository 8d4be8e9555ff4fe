import type { FileStore } from '#server/storage/file-store';
import { attachment } from './labels.ts';
import type { FileRepository } from './repository.ts';

/** Bytes of a file, with headers under which no browser runs its content; undefined if there is no such file. */
export function fileDownload(files: Pick<FileRepository, 'stored'>, store: FileStore) {
  return async (userId: number, id: number) => {
    const file = await files.stored(userId, id);
    if (!file) return undefined;
    const headers = {
      'content-disposition': attachment(file.filename),
      'content-length': file.size,
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/octet-stream',
    };
    return { headers, content: await store.read(file.storageKey) };
  };
}
