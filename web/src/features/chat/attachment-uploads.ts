import { type AttachmentKind, attachedBytesLimit, attachedFilesLimit } from '@roster/contracts/chat';
import { ApiError, errorText } from '#web/lib/api.ts';
import { readDraft, writeDraft } from '#web/lib/drafts.ts';
import { formatMegabytes } from '#web/lib/format.ts';
import { uploadFile } from './upload-file.ts';

export type Upload = {
  key: number;
  filename: string;
  size: number;
  /** `sending`: on its way with a message, and no longer part of the one that is being written. */
  state: 'waiting' | 'uploading' | 'done' | 'failed' | 'sending';
  /** From 0 to 1. */
  progress: number;
  /** Of the stored file. */
  id: number | null;
  problem: string | null;
  /** Whether another try could come to something else. */
  canRetry: boolean;
  /** As long as this page has it. */
  file: File | null;
};

export type StoredFile = { id: number; filename: string; size: number; kind?: AttachmentKind | undefined };

/** Where other tabs upload too, the server asks to wait for one of them. */
const patientTries = 20;

let keys = 0;
/** One after the other, whichever conversation they are for. */
let queue: Promise<void> = Promise.resolve();
const places = new Map<string, ReturnType<typeof createUploads>>();

const keptAt = (place: string) => `${place}:files`;

/** A file that is on the server already. */
const asUploaded = ({ id, filename, size }: StoredFile): Upload => ({
  key: ++keys,
  id,
  filename,
  size,
  state: 'done',
  progress: 1,
  problem: null,
  canRetry: false,
  file: null,
});

/** What was attached and not sent before the page was loaded anew. */
function kept(place: string): Upload[] {
  try {
    const list: unknown = JSON.parse(readDraft(keptAt(place)) || '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: { id?: unknown; filename?: unknown; size?: unknown } | null): Upload[] => {
      const { id, filename, size } = item ?? {};
      if (typeof id !== 'number' || typeof filename !== 'string' || typeof size !== 'number') return [];
      return [asUploaded({ id, filename, size })];
    });
  } catch {
    // Not what this page has written.
    return [];
  }
}

function createUploads(place: string) {
  let uploads: readonly Upload[] = kept(place);
  const listeners = new Set<() => void>();
  const controllers = new Map<number, AbortController>();

  function set(next: readonly Upload[]) {
    uploads = next;
    for (const listener of listeners) listener();
    forgetUnwatched();
  }

  /** Also what a reload is to find again. */
  function setAndKeep(next: readonly Upload[]) {
    const done = next.filter(({ state }) => state === 'done' || state === 'sending');
    writeDraft(
      keptAt(place),
      done.length === 0 ? '' : JSON.stringify(done.map(({ id, filename, size }) => ({ id, filename, size }))),
    );
    set(next);
  }

  const change = (key: number, changes: Partial<Upload>) =>
    uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload));

  const room = () => Math.max(0, attachedFilesLimit - uploads.filter(({ state }) => state !== 'sending').length);

  const move = (ids: readonly number[], from: Upload['state'], to: Upload['state']) =>
    uploads.map((upload) =>
      upload.state === from && upload.id !== null && ids.includes(upload.id) ? { ...upload, state: to } : upload,
    );

  /** What nobody looks at stays only while it is on its way. */
  function forgetUnwatched() {
    const isUnderWay = uploads.some(({ state }) => state === 'waiting' || state === 'uploading');
    if (listeners.size === 0 && !isUnderWay) places.delete(place);
  }

  async function carryOut(key: number) {
    const upload = uploads.find((one) => one.key === key);
    if (upload?.state !== 'waiting' || !upload.file) return;
    const controller = new AbortController();
    controllers.set(key, controller);
    set(change(key, { state: 'uploading', progress: 0 }));
    try {
      const stored = await patiently(upload.file, (progress) => set(change(key, { progress })), controller.signal);
      const { id, filename, size } = stored;
      setAndKeep(change(key, { state: 'done', progress: 1, id, filename, size }));
    } catch (error) {
      if (!controller.signal.aborted)
        set(change(key, { state: 'failed', problem: errorText(error, 'The file was not uploaded.') }));
    } finally {
      controllers.delete(key);
    }
  }

  function begin(key: number) {
    queue = queue.then(() => carryOut(key));
  }

  return {
    get: () => uploads,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        forgetUnwatched();
      };
    },
    /** @returns how many were too many */
    add(files: readonly File[]): number {
      const added = files.slice(0, room()).map((file): Upload => {
        const { name: filename, size } = file;
        const problem =
          size === 0
            ? 'The file is empty.'
            : size > attachedBytesLimit
              ? `Larger than ${formatMegabytes(attachedBytesLimit)}, which is as much as a message can bring.`
              : null;
        const state = problem === null ? 'waiting' : 'failed';
        return { key: ++keys, filename, size, state, progress: 0, id: null, problem, canRetry: problem === null, file };
      });
      set([...uploads, ...added]);
      for (const { key, state } of added) if (state === 'waiting') begin(key);
      return files.length - added.length;
    },
    /** Attaches what the server has already, as far as there is room. */
    addStored(files: readonly StoredFile[]) {
      const fresh = files.filter(({ id }) => !uploads.some((upload) => upload.id === id));
      setAndKeep([...uploads, ...fresh.slice(0, room()).map(asUploaded)]);
    },
    remove(key: number) {
      setAndKeep(uploads.filter((upload) => upload.key !== key));
      controllers.get(key)?.abort();
    },
    retry(key: number) {
      set(change(key, { state: 'waiting', problem: null }));
      begin(key);
    },
    /** They go with a message whose arrival is not known yet. A reload finds them attached still. */
    sending(ids: readonly number[]) {
      setAndKeep(move(ids, 'done', 'sending'));
    },
    /** The message was refused. */
    notSent(ids: readonly number[]) {
      setAndKeep(move(ids, 'sending', 'done'));
    },
    /** They are part of a message now. */
    sent(ids: readonly number[]) {
      setAndKeep(uploads.filter(({ id }) => id === null || !ids.includes(id)));
    },
  };
}

async function patiently(file: File, onProgress: (done: number) => void, signal: AbortSignal) {
  for (let tries = 1; ; tries++) {
    try {
      return await uploadFile(file, onProgress, signal);
    } catch (error) {
      const isBusy = error instanceof ApiError && error.status === 429 && (error.retryAfterSeconds ?? 60) <= 2;
      if (!isBusy || tries >= patientTries || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** What is attached to the message that is being written at a place. */
export function uploadsAt(place: string) {
  const known = places.get(place) ?? createUploads(place);
  places.set(place, known);
  return known;
}
