import type { FilePurpose } from '@roster/contracts/files';
import type { Upload } from '#web/data/uploads/queue.ts';
import { whyRefused } from '#web/data/uploads/refusal.ts';
import { errorText } from '#web/lib/api.ts';
import { createStore } from '#web/lib/store.ts';
import { transferRate } from './transfer.ts';

/** `refused`: will not be sent. `paused`: the server takes no more for a moment; then it is sent by itself. */
export type UploadState = 'refused' | 'waiting' | 'uploading' | 'paused' | 'done' | 'failed' | 'cancelled';

export type ListedUpload = {
  key: number;
  file: File;
  purpose: FilePurpose;
  state: UploadState;
  /** Why it is not sent, or was not taken. */
  reason: string | undefined;
  /** Bytes of the file. */
  sent: number;
  /** Bytes per second. */
  rate: number | undefined;
};

export type UploadsShown = { uploads: readonly ListedUpload[]; isRunning: boolean };

/** What came of the files that were sent since the start. */
export type UploadsEnded = { done: number; failures: readonly unknown[] };

type Dependencies = {
  send: (upload: Upload) => Promise<unknown>;
  suggest: (file: File) => Promise<FilePurpose>;
  onEnd: (ended: UploadsEnded) => void;
};

const unsent = { state: 'waiting', reason: undefined, sent: 0, rate: undefined } as const;

export const maySendAgain = ({ state }: ListedUpload): boolean => state === 'failed' || state === 'cancelled';

/** Files that are sent one after the other; each can be cancelled and sent again. */
export function createUploadList({ send, suggest, onEnd }: Dependencies) {
  const shown = createStore<UploadsShown>({ uploads: [], isRunning: false });
  let lastKey = 0;
  let current: { key: number; abort: AbortController } | undefined;

  const show = (next: Partial<UploadsShown>) => shown.set({ ...shown.get(), ...next });
  const change = (key: number, changes: Partial<ListedUpload>) =>
    show({ uploads: shown.get().uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)) });

  async function sendOne({ key, file, purpose }: ListedUpload, ended: { done: number; failures: unknown[] }) {
    const abort = new AbortController();
    current = { key, abort };
    let rate = transferRate();
    const onProgress = (sent: number) => {
      // Another try of the same file is another transfer.
      if (sent === 0) rate = transferRate();
      change(key, { state: 'uploading', reason: undefined, sent, rate: rate.measure(performance.now(), sent) });
    };
    onProgress(0);
    try {
      await send({
        file,
        purpose,
        signal: abort.signal,
        onProgress,
        onPause: (seconds) =>
          change(key, { state: 'paused', reason: `The server takes the next file in ${seconds} s.`, sent: 0 }),
      });
      ended.done += 1;
      change(key, { state: 'done', sent: file.size });
    } catch (error) {
      if (abort.signal.aborted) change(key, { state: 'cancelled', reason: undefined });
      else {
        ended.failures.push(error);
        change(key, { state: 'failed', reason: errorText(error) });
      }
    } finally {
      current = undefined;
    }
  }

  async function run() {
    if (shown.get().isRunning) return;
    show({ isRunning: true });
    const ended: { done: number; failures: unknown[] } = { done: 0, failures: [] };
    const next = () => shown.get().uploads.find(({ state }) => state === 'waiting');
    for (let upload = next(); upload; upload = next()) await sendOne(upload, ended);
    show({ isRunning: false });
    onEnd(ended);
  }

  async function withSuggestion(upload: ListedUpload): Promise<ListedUpload> {
    if (upload.state === 'refused') return upload;
    // A file that cannot be read fails when it is sent, with its reason.
    return { ...upload, purpose: await suggest(upload.file).catch(() => upload.purpose) };
  }

  return {
    /** Adds files and waits for the start; those that the server would not take are marked at once. */
    async add(files: readonly File[]) {
      const added = files.map((file): ListedUpload => {
        const reason = whyRefused(file, 'files');
        const state = reason === undefined ? 'waiting' : 'refused';
        return { ...unsent, key: ++lastKey, file, purpose: 'assistants', state, reason };
      });
      // Known before they are shown, so that none is sent with a purpose that was about to change.
      const known = await Promise.all(added.map(withSuggestion));
      show({ uploads: [...shown.get().uploads, ...known] });
    },
    setPurpose: (key: number, purpose: FilePurpose) => change(key, { purpose }),
    remove: (key: number) => show({ uploads: shown.get().uploads.filter((upload) => upload.key !== key) }),
    start: () => void run(),
    /** Sends everything again that failed or was cancelled. */
    retryAll() {
      show({
        uploads: shown.get().uploads.map((upload) => (maySendAgain(upload) ? { ...upload, ...unsent } : upload)),
      });
      void run();
    },
    cancel(key: number) {
      if (current?.key === key) current.abort.abort();
      else change(key, { state: 'cancelled' });
    },
    retry(key: number) {
      change(key, unsent);
      void run();
    },
    cancelAll() {
      show({
        uploads: shown
          .get()
          .uploads.map((upload) => (upload.state === 'waiting' ? { ...upload, state: 'cancelled' } : upload)),
      });
      current?.abort.abort();
    },
    get: shown.get,
    subscribe: shown.subscribe,
  };
}

export type UploadList = ReturnType<typeof createUploadList>;
