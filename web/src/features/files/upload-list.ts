import type { FilePurpose } from '@roster/contracts/files/files';
import type { Upload } from '#web/api/uploads/queue.ts';
import { refusalReason } from '#web/api/uploads/rules.ts';
import { errorText } from '#web/lib/api-client.ts';
import { createStore } from '#web/lib/store.ts';
import { transferRate } from './transfer-rate.ts';

/** `refused`: will not be sent. `paused`: rate-limited by the server; resumes by itself. */
export type UploadState = 'refused' | 'waiting' | 'uploading' | 'paused' | 'done' | 'failed' | 'cancelled';

export type ListedUpload = {
  key: number;
  file: File;
  purpose: FilePurpose;
  state: UploadState;
  /** Why it was not sent or not accepted. */
  reason: string | undefined;
  /** Bytes sent. */
  sent: number;
  /** Bytes per second. */
  rate: number | undefined;
};

type UploadListState = { uploads: readonly ListedUpload[]; isRunning: boolean };

/** Result of all uploads since the start. */
export type UploadSummary = { done: number; failures: readonly unknown[] };

type Dependencies = {
  send: (upload: Upload) => Promise<unknown>;
  suggest: (file: File) => Promise<FilePurpose>;
  onEnd: (ended: UploadSummary) => void;
};

const unsent = { state: 'waiting', reason: undefined, sent: 0, rate: undefined } as const;

const isWaiting = ({ state }: ListedUpload): boolean => state === 'waiting';
export const canRetry = ({ state }: ListedUpload): boolean => state === 'failed' || state === 'cancelled';

const refusedOrWaiting = (file: File, key: number): ListedUpload => {
  const reason = refusalReason(file, 'files');
  const state = reason === undefined ? 'waiting' : 'refused';
  return { ...unsent, key, file, purpose: 'assistants', state, reason };
};

/** Store of the list with its changes. */
function createShownUploads() {
  const { get, set, subscribe } = createStore<UploadListState>({ uploads: [], isRunning: false });
  const show = (uploads: readonly ListedUpload[]) => set({ ...get(), uploads });
  const changeAll = (isMeant: (upload: ListedUpload) => boolean, changes: Partial<ListedUpload>) =>
    show(get().uploads.map((upload) => (isMeant(upload) ? { ...upload, ...changes } : upload)));
  return {
    get,
    subscribe,
    setRunning: (isRunning: boolean) => set({ ...get(), isRunning }),
    add: (added: readonly ListedUpload[]) => show([...get().uploads, ...added]),
    remove: (key: number) => show(get().uploads.filter((upload) => upload.key !== key)),
    change: (key: number, changes: Partial<ListedUpload>) => changeAll((upload) => upload.key === key, changes),
    changeAll,
    firstWaiting: () => get().uploads.find(isWaiting),
  };
}

type OnChange = (changes: Partial<ListedUpload>) => void;

/** Uploads a file and reports progress. */
function transfer(
  { file, purpose }: ListedUpload,
  send: Dependencies['send'],
  signal: AbortSignal,
  onChange: OnChange,
) {
  let rate = transferRate();
  const onProgress = (sent: number) => {
    // Each attempt measures its own rate.
    if (sent === 0) rate = transferRate();
    onChange({ state: 'uploading', reason: undefined, sent, rate: rate.measure(performance.now(), sent) });
  };
  const onPause = (seconds: number) =>
    onChange({ state: 'paused', reason: `The upload continues in ${seconds} s.`, sent: 0 });
  onProgress(0);
  return send({ file, purpose, signal, onProgress, onPause });
}

/** Uploads a file, shows the result and returns it. */
async function sendOne(
  upload: ListedUpload,
  send: Dependencies['send'],
  signal: AbortSignal,
  onChange: OnChange,
): Promise<UploadSummary> {
  try {
    await transfer(upload, send, signal, onChange);
    onChange({ state: 'done', sent: upload.file.size });
    return { done: 1, failures: [] };
  } catch (error) {
    if (signal.aborted) {
      onChange({ state: 'cancelled', reason: undefined });
      return { done: 0, failures: [] };
    }
    onChange({ state: 'failed', reason: errorText(error) });
    return { done: 0, failures: [error] };
  }
}

/** Uploads files one after another; each can be cancelled and retried. */
export function createUploadList({ send, suggest, onEnd }: Dependencies) {
  const shown = createShownUploads();
  let lastKey = 0;
  let current: { key: number; abort: AbortController } | undefined;

  async function run() {
    if (shown.get().isRunning) return;
    shown.setRunning(true);
    const ended: UploadSummary[] = [];
    for (let next = shown.firstWaiting(); next; next = shown.firstWaiting()) {
      const { key } = next;
      const abort = new AbortController();
      current = { key, abort };
      ended.push(await sendOne(next, send, abort.signal, (changes) => shown.change(key, changes)));
      current = undefined;
    }
    shown.setRunning(false);
    onEnd({
      done: ended.reduce((sum, { done }) => sum + done, 0),
      failures: ended.flatMap(({ failures }) => failures),
    });
  }

  async function withSuggestion(upload: ListedUpload): Promise<ListedUpload> {
    if (upload.state === 'refused') return upload;
    // An unreadable file fails during the upload, with its reason.
    return { ...upload, purpose: await suggest(upload.file).catch(() => upload.purpose) };
  }

  return {
    /** Adds files without starting; marks those that the server would refuse. */
    async add(files: readonly File[]) {
      const added = files.map((file) => refusedOrWaiting(file, ++lastKey));
      // Suggest purposes before showing the files, so that none is sent with the wrong one.
      shown.add(await Promise.all(added.map(withSuggestion)));
    },
    setPurpose: (key: number, purpose: FilePurpose) => shown.change(key, { purpose }),
    remove: shown.remove,
    start: () => void run(),
    /** Retries everything that failed or was cancelled. */
    retryAll() {
      shown.changeAll(canRetry, unsent);
      void run();
    },
    cancel(key: number) {
      if (current?.key === key) current.abort.abort();
      else shown.change(key, { state: 'cancelled' });
    },
    retry(key: number) {
      shown.change(key, unsent);
      void run();
    },
    cancelAll() {
      shown.changeAll(isWaiting, { state: 'cancelled' });
      current?.abort.abort();
    },
    get: shown.get,
    subscribe: shown.subscribe,
  };
}

export type UploadList = ReturnType<typeof createUploadList>;
