import type { File as StoredFile } from '@roster/contracts/files/files';
import { ApiError } from '#web/lib/api-client.ts';
import { currentUserId } from '#web/lib/user-storage.ts';
import { type UploadRequest, uploadFile } from './upload-file.ts';

export type Upload = Pick<UploadRequest, 'file' | 'purpose' | 'signal'> & {
  /** At the start of each attempt with 0, then whenever more bytes of the file have left the browser. */
  onProgress: (sent: number) => void;
  /** The server takes no more for so many seconds; then it is sent by itself. */
  onPause?: (seconds: number) => void;
};

/** Sends the files it is given one after the other. Rejects with the signal's reason as soon as that is aborted. */
export type UploadLane = (upload: Upload) => Promise<StoredFile>;

/** As many of one person's files as the server receives at once. */
const atOnce = 2;
const longestPauseSeconds = 120;

/** Seconds after which the server takes the same file, where it said so. */
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
  /** Who is signed in; what one person gave is never sent in the name of another. */
  person: () => number | null;
};

/** Where all uploads of this page wait for their turn, whichever place they are for. */
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
      if (person() !== giver) throw new DOMException('Somebody else is signed in', 'AbortError');
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

/** A place that uploads: its files go one after the other, beside those of other places. */
export const { lane: uploadLane } = createUploadQueue({ send: uploadFile, person: currentUserId });
