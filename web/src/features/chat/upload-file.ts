import { files, type File as StoredFile } from '@roster/contracts/files';
import { ApiError, addressOf, readError } from '#web/lib/api.ts';

const purpose = 'user_data';

/** Uploads a file that is meant for a message, and tells how far it is, from 0 to 1: `fetch` cannot tell. */
export function uploadFile(
  file: File,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<Pick<StoredFile, 'id' | 'filename' | 'size'>> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(files.upload.method, addressOf(files.upload, { body: { purpose } }));
    request.setRequestHeader('accept', 'application/json');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 201) return resolve(JSON.parse(request.responseText));
      const retryAfter = request.getResponseHeader('retry-after');
      const { status, statusText, responseText } = request;
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      readError(new Response(responseText, { status, statusText, headers })).then(reject, reject);
    };
    request.onerror = () =>
      reject(
        new ApiError('The server cannot be reached. Check your connection and try again.', {
          status: 0,
          code: 'unreachable',
          hasServerMessage: false,
        }),
      );
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
