import type { File as StoredFile } from '@roster/contracts/files/files';
import { ApiError } from '#web/lib/api-client.ts';
import { currentUserId } from '#web/lib/storage/user-storage.ts';
import { type UploadRequest, uploadFile } from './upload-file.ts';

export type Upload = Pick<UploadRequest, 'file' | 'purpose' | 'signal'> & {
  /** Called with 0 at the start of each attempt, then whenever more bytes have been sent. */
  onProgress: (sent: number) => void;
  /** The server accepts no more for this many seconds; the upload resumes by itself. */
  onPause?: (seconds: number) => void;
};

/** Uploads files one after another. Rejects with the signal's reason as soon as it is aborted. */
type UploadLane = (upload: Upload) => Promise<StoredFile>;

/** The server's limit of parallel uploads per user. */
const atOnce = 2;
const longestPauseSeconds = 120;

/** Seconds to wait if the server rate-limited the upload, otherwise undefined. */
function pauseAfter(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.status !== 429) return undefined;
  const seconds = error.retryAfterSeconds;
  return seconds !== undefined && seconds <= longestPauseSeconds ? Math.max(1, seconds) : undefined;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal.addEventListener('abort', end, { once: true });
  });
}

type Dependencies = {
  send: (sending: UploadRequest) => Promise<StoredFile>;
  /** Id of the signed-in user. A file chosen by one user is never uploaded for another. */
  person: () => number | null;
};

/** The queue that all uploads of this browser tab share. */
export function createUploadQueue({ send, person }: Dependencies) {
  type Waiting = { lane: UploadLane; carryOut: () => Promise<void> };
  let waiting: readonly Waiting[] = [];
  const busy = new Set<UploadLane>();

  function startNext() {
    for (const one of waiting) {
      if (busy.size >= atOnce) return;
      if (busy.has(one.lane)) continue;
      waiting = waiting.filter((other) => other !== one);
      busy.add(one.lane);
      void one.carryOut().finally(() => {
        busy.delete(one.lane);
        startNext();
      });
    }
  }

  async function sendPatiently({ onProgress, onPause, ...upload }: Upload, giver: number | null): Promise<StoredFile> {
    for (;;) {
      upload.signal.throwIfAborted();
      if (person() !== giver) throw new DOMException('Another user is signed in', 'AbortError');
      onProgress(0);
      try {
        return await send({ ...upload, onProgress });
      } catch (error) {
        const seconds = upload.signal.aborted ? undefined : pauseAfter(error);
        if (seconds === undefined) throw error;
        onPause?.(seconds);
        await pause(seconds, upload.signal);
      }
    }
  }

  return {
    lane(): UploadLane {
      const lane: UploadLane = (upload) =>
        new Promise((resolve, reject) => {
          const { signal } = upload;
          const giver = person();
          const one = { lane, carryOut: () => sendPatiently(upload, giver).then(resolve, reject) };
          const leave = () => {
            waiting = waiting.filter((other) => other !== one);
            reject(signal.reason);
          };
          if (signal.aborted) return leave();
          signal.addEventListener('abort', leave, { once: true });
          waiting = [...waiting, one];
          startNext();
        });
      return lane;
    },
  };
}

/** Creates a lane: its files are uploaded one after another, parallel to other lanes. */
export const { lane: uploadLane } = createUploadQueue({ send: uploadFile, person: currentUserId });
