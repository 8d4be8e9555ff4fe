import { type FilePurpose, files, type File as StoredFile } from '@roster/contracts/files/files';
import { ApiError, readError, urlOf } from '#web/lib/api-client.ts';

export type UploadRequest = {
  file: File;
  purpose: FilePurpose;
  signal: AbortSignal;
  /** Receives the number of bytes of the file that have been sent. */
  onProgress: (sent: number) => void;
};

/** Uploads a file and resolves to the stored one. Uses XMLHttpRequest because fetch reports no upload progress. */
export function uploadFile({ file, purpose, signal, onProgress }: UploadRequest): Promise<StoredFile> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const form = new FormData();
    form.set('purpose', purpose);
    form.set('file', file, file.name);
    const request = new XMLHttpRequest();
    request.open(files.upload.method, urlOf(files.upload, { body: { purpose } }));
    request.setRequestHeader('accept', 'application/json');
    // The multipart form counts as sent, too.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve(JSON.parse(request.responseText));
      const { status, statusText, responseText } = request;
      const retryAfter = request.getResponseHeader('retry-after');
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      readError(new Response(responseText, { status, statusText, headers })).then(reject, reject);
    };
    request.onerror = () =>
      reject(
        new ApiError('The connection was lost. Check it and try again.', {
          status: 0,
          code: 'unreachable',
          hasServerMessage: false,
        }),
      );
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
