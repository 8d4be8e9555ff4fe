import { type FilePurpose, files, type File as StoredFile } from '@roster/contracts/files/files';
import { urlOf } from '#web/lib/api-client.ts';
import { sendFile } from '#web/lib/send-file.ts';

export type UploadRequest = {
  file: File;
  purpose: FilePurpose;
  signal: AbortSignal;
  /** Receives the number of bytes of the file that have been sent. */
  onProgress: (sent: number) => void;
};

/** Uploads a file and resolves to the stored one. */
export function uploadFile({ file, purpose, ...more }: UploadRequest): Promise<StoredFile> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', file, file.name);
  return sendFile({
    ...more,
    method: files.upload.method,
    url: urlOf(files.upload, { body: { purpose } }),
    form,
    size: file.size,
  });
}
