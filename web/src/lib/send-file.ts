import { ApiError, readError } from './api-client.ts';

type FileRequest = {
  method: string;
  url: string;
  form: FormData;
  /** Bytes of the file in the form. */
  size: number;
  signal: AbortSignal;
  /** Receives the number of bytes of the file that have been sent. */
  onProgress: (sent: number) => void;
};

/** Sends a form with a file. Uses XMLHttpRequest because fetch reports no upload progress. */
export function sendFile<Result>({ method, url, form, size, signal, onProgress }: FileRequest): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('accept', 'application/json');
    // The multipart form counts as sent, too.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, size));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve(JSON.parse(request.responseText));
      const { status, statusText, responseText } = request;
      const retryAfter = request.getResponseHeader('retry-after');
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      readError(new Response(responseText, { status, statusText, headers })).then(reject, reject);
    };
    request.onerror = () =>
      reject(
        new ApiError('The connection was lost. Check your network and try again.', {
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
