import { attachedFilesLimit } from '@roster/contracts/chat';
import { uploadLane } from '#web/api/uploads/queue.ts';
import { refusalReason, uploadRules } from '#web/api/uploads/rules.ts';
import { type Attachment, asAttached, newKey, type StoredFile } from '#web/features/chat/shared/attachments.ts';
import type { ComposerStore } from '#web/features/chat/shared/composer-state.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toastError } from '#web/lib/toast.ts';

/** One lane for all conversations. */
const upload = uploadLane();
const controllers = new Map<number, AbortController>();

const room = (composer: ComposerStore) =>
  Math.max(0, attachedFilesLimit - composer.get().attachments.filter(({ state }) => state !== 'sending').length);

function change(composer: ComposerStore, key: number, changes: Partial<Attachment>) {
  const { attachments } = composer.get();
  composer.set({ attachments: attachments.map((one) => (one.key === key ? { ...one, ...changes } : one)) });
}

function started(file: File): Attachment {
  const { name: filename, size } = file;
  const problem = refusalReason(file, 'message') ?? null;
  const state = problem === null ? 'waiting' : 'failed';
  return { key: newKey(), filename, size, state, progress: 0, id: null, problem, canRetry: problem === null, file };
}

/** Attaches pending files up to the limit and starts their uploads. `reason`: why uploads are not possible. */
export function attachPending(composer: ComposerStore, reason: string | undefined): void {
  const { pendingFiles, attachments } = composer.get();
  if (pendingFiles.length === 0) return;
  if (reason) {
    composer.set({ pendingFiles: [] });
    toastError({ title: 'Files cannot be uploaded', description: reason });
    return;
  }
  const added = pendingFiles.slice(0, room(composer)).map(started);
  composer.set({ pendingFiles: [], attachments: [...attachments, ...added] });
  for (const one of added) if (one.state === 'waiting') void begin(composer, one);
  const tooMany = pendingFiles.length - added.length;
  if (tooMany > 0)
    toastError({
      title: `${formatCount(tooMany, 'file was', 'files were')} left out`,
      description: `At most ${attachedFilesLimit} files can be attached to a message.`,
    });
}

/** Attaches stored files up to the limit. */
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
  const attachment = composer.get().attachments.find((one) => one.key === key);
  if (attachment) void begin(composer, attachment);
}

async function begin(composer: ComposerStore, { key, file }: Attachment) {
  if (!file) return;
  const controller = new AbortController();
  controllers.set(key, controller);
  try {
    const { id, filename, size } = await upload({
      file,
      purpose: 'user_data',
      signal: controller.signal,
      onProgress: (sent) => change(composer, key, { state: 'uploading', progress: sent / file.size }),
      onPause: () => change(composer, key, { state: 'waiting' }),
    });
    change(composer, key, { state: 'done', progress: 1, id, filename, size });
  } catch (error) {
    if (!controller.signal.aborted)
      change(composer, key, { state: 'failed', problem: errorText(error, uploadRules.message.failed) });
  } finally {
    controllers.delete(key);
  }
}
