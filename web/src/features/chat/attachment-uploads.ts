import { attachedBytesLimit, attachedFilesLimit } from '@roster/contracts/chat';
import { ApiError, errorText } from '#web/lib/api.ts';
import { formatCount, formatMegabytes } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { type Attachment, asAttached, newKey, type StoredFile } from './attachments.ts';
import type { ComposerStore } from './composer-state.ts';
import { uploadFile } from './upload-file.ts';

/** Where other tabs upload too, the server asks to wait for one of them. */
const patientTries = 20;

/** One after the other, whichever conversation they are for. */
let queue: Promise<void> = Promise.resolve();
const controllers = new Map<number, AbortController>();

const room = (composer: ComposerStore) =>
  Math.max(0, attachedFilesLimit - composer.get().attachments.filter(({ state }) => state !== 'sending').length);

function change(composer: ComposerStore, key: number, changes: Partial<Attachment>) {
  const { attachments } = composer.get();
  composer.set({ attachments: attachments.map((one) => (one.key === key ? { ...one, ...changes } : one)) });
}

function begun(file: File): Attachment {
  const { name: filename, size } = file;
  const problem =
    size === 0
      ? 'The file is empty.'
      : size > attachedBytesLimit
        ? `Larger than ${formatMegabytes(attachedBytesLimit)}, which is as much as a message can bring.`
        : null;
  const state = problem === null ? 'waiting' : 'failed';
  return { key: newKey(), filename, size, state, progress: 0, id: null, problem, canRetry: problem === null, file };
}

/** Attaches what was offered, as far as there is room, and begins to upload it. `reason`: why nothing can be uploaded. */
export function attachOffered(composer: ComposerStore, reason: string | undefined): void {
  const { offered, attachments } = composer.get();
  if (offered.length === 0) return;
  if (reason) {
    composer.set({ offered: [] });
    toast({ title: 'Files cannot be uploaded', description: reason, variant: 'destructive' });
    return;
  }
  const added = offered.slice(0, room(composer)).map(begun);
  composer.set({ offered: [], attachments: [...attachments, ...added] });
  for (const { key, state } of added) if (state === 'waiting') begin(composer, key);
  const tooMany = offered.length - added.length;
  if (tooMany > 0)
    toast({
      title: `${formatCount(tooMany, 'file was', 'files were')} left out`,
      description: `At most ${attachedFilesLimit} files can be attached to a message.`,
      variant: 'destructive',
    });
}

/** Attaches what the server has already, as far as there is room. */
export function attachStored(composer: ComposerStore, files: readonly StoredFile[]): void {
  const { attachments } = composer.get();
  const fresh = files.filter(({ id }) => !attachments.some((one) => one.id === id));
  composer.set({ attachments: [...attachments, ...fresh.slice(0, room(composer)).map(asAttached)] });
}

export function removeAttachment(composer: ComposerStore, key: number): void {
  composer.set({ attachments: composer.get().attachments.filter((one) => one.key !== key) });
  controllers.get(key)?.abort();
}

export function retryUpload(composer: ComposerStore, key: number): void {
  change(composer, key, { state: 'waiting', problem: null });
  begin(composer, key);
}

function begin(composer: ComposerStore, key: number) {
  queue = queue.then(() => carryOut(composer, key));
}

async function carryOut(composer: ComposerStore, key: number) {
  const upload = composer.get().attachments.find((one) => one.key === key);
  if (upload?.state !== 'waiting' || !upload.file) return;
  const controller = new AbortController();
  controllers.set(key, controller);
  change(composer, key, { state: 'uploading', progress: 0 });
  try {
    const { file } = upload;
    const stored = await patiently(file, (progress) => change(composer, key, { progress }), controller.signal);
    const { id, filename, size } = stored;
    change(composer, key, { state: 'done', progress: 1, id, filename, size });
  } catch (error) {
    if (!controller.signal.aborted)
      change(composer, key, { state: 'failed', problem: errorText(error, 'The file was not uploaded.') });
  } finally {
    controllers.delete(key);
  }
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
