import { providerNameIn } from '@roster/contracts/provider-name';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { retryDelay } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { FileStore } from '#server/storage/file-store';
import { type CopyPayload, forwardJob, removeCopyJob } from './jobs.ts';
import { onlyAlike } from './listed-copies.ts';
import { type ProviderFile, providerFileRepository, type SendResult } from './provider-file-repository.ts';
import { fileRepository } from './repository.ts';

export type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  provider: Pick<Provider, 'files'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  providerName: string;
  instance: number;
  /** Called in the transaction that stores the result of sending a file. */
  onCopySettled: (trx: Kysely<Database>, userId: number, fileId: number) => Promise<void>;
  log: FastifyBaseLogger;
};

/** The last try comes about half a day after the first. */
const maxTries = 20;
/** Id of a copy that was sent without an answer, if it arrived and cannot be confused with another one. */
export async function findUploadedCopy(
  { db, provider }: Pick<Dependencies, 'db' | 'provider'>,
  apiKey: Secret,
  copy: ProviderFile,
): Promise<string | undefined> {
  const { sentAt } = copy;
  if (sentAt === null) return undefined;
  const copies = providerFileRepository(db);
  const listed = await provider.files.list(apiKey);
  const found = onlyAlike(listed, { ...copy, sentAt }, await copies.takenIds(copy.userId));
  return found === undefined || (await copies.hasDouble(copy)) ? undefined : found;
}

async function uploadCopy(
  { db, store, provider }: Dependencies,
  apiKey: Secret,
  copy: ProviderFile,
  fileId: number,
): Promise<string | undefined> {
  const file = await fileRepository(db).stored(copy.userId, fileId);
  if (!file) return undefined;
  const content = await store.read(file.storageKey);
  if (!(await providerFileRepository(db).markSent(copy.userId, copy.id))) {
    content.destroy();
    return undefined;
  }
  const { filename, type, size: bytes } = file;
  return provider.files.upload(apiKey, { filename, type, purpose: copy.purpose, bytes, content });
}

/** State of the copy after a failure, in words for its owner. */
async function failed(
  { keys, providerName, log }: Dependencies,
  copy: ProviderFile,
  error: unknown,
): Promise<SendResult> {
  if (!(error instanceof ProviderError)) {
    log.error({ err: error, copyId: copy.id }, 'could not forward a file');
    const message = 'Roster could not read the stored file. The log shows the operator why.';
    return { state: 'failed', error: message, mayBeThere: copy.sentAt !== null };
  }
  const mayBeThere = error.isUncertain;
  if (error.code === 'key_rejected') await keys.noteRejected(copy.userId, error.message);
  if (error.code === 'not_served') {
    const message = `${providerNameIn('beginning', providerName)} does not keep files. The file stays in Roster, and you can download it here.`;
    return { state: 'not_served', error: message, mayBeThere };
  }
  const again = error.isTransient && copy.tries + 1 < maxTries;
  return { state: again ? 'queued' : 'failed', error: error.message, mayBeThere };
}

async function settle(
  { db, onCopySettled }: Dependencies,
  copy: ProviderFile,
  sending: SendResult,
  retryAfterSeconds = 0,
) {
  await db.transaction().execute(async (trx) => {
    const isCurrent = await providerFileRepository(trx).end(copy.userId, copy.id, sending);
    const job = { userId: copy.userId, copyId: copy.id };
    if (!isCurrent) await enqueue(trx, removeCopyJob, job);
    else if (sending.state === 'queued') {
      const inMs = Math.max(retryDelay(copy.tries + 1), retryAfterSeconds * 1000);
      await enqueue(trx, forwardJob, job, { inMs });
    }
    if (isCurrent && copy.fileId !== null) await onCopySettled(trx, copy.userId, copy.fileId);
  });
}

/** Returns undefined if there is no usable key; the copy then says so. */
async function keyFor({ db, keys }: Dependencies, copy: ProviderFile): Promise<Secret | undefined> {
  try {
    return await keys.open(copy.userId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isMissing = error.code === 'no_api_key';
    await providerFileRepository(db).end(copy.userId, copy.id, {
      state: isMissing ? 'waiting_for_key' : 'failed',
      error: isMissing ? null : error.message,
      mayBeThere: true,
    });
    return undefined;
  }
}

/** Sends a copy, if it is still wanted and no other process sends it. */
export async function uploadToProvider(dependencies: Dependencies, { userId, copyId }: CopyPayload) {
  const { db, instance } = dependencies;
  const copies = providerFileRepository(db);
  const copy = await copies.find(userId, copyId);
  if (!copy || copy.fileId === null || (copy.state !== 'queued' && copy.state !== 'waiting_for_key')) return;
  const apiKey = await keyFor(dependencies, copy);
  if (!apiKey || !(await copies.begin(userId, copyId, instance))) return;
  try {
    const id =
      (await findUploadedCopy(dependencies, apiKey, copy)) ??
      (await uploadCopy(dependencies, apiKey, copy, copy.fileId));
    // Without an id it was deleted before anything was sent.
    if (id === undefined)
      await settle(dependencies, copy, { state: 'failed', error: null, mayBeThere: copy.sentAt !== null });
    else await settle(dependencies, copy, { state: 'ready', error: null, providerFileId: id, mayBeThere: false });
  } catch (error) {
    const wait = error instanceof ProviderError ? error.retryAfterSeconds : undefined;
    await settle(dependencies, copy, await failed(dependencies, copy, error), wait);
  }
}
