import type { RemovedFile } from '@roster/contracts/files/files';
import { providerNameIn } from '@roster/contracts/provider-name';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { FileStore } from '#server/storage/file-store';
import type { ConnectionCopies } from './connection-copies.ts';
import { type CopyPayload, removeCopyJob } from './jobs.ts';
import { providerFileRepository } from './provider-file-repository.ts';
import { removalOfBytes, storeRemovalOfBytes } from './remove-bytes.ts';
import { fileRepository } from './repository.ts';
import { findUploadedCopy } from './upload-to-provider.ts';

type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  provider: Pick<Provider, 'files'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  providerName: string;
  isGone: (instance: number) => Promise<boolean>;
  connectionCopies: Pick<ConnectionCopies, 'release' | 'removeReleased'>;
  log: FastifyBaseLogger;
};

/** How long a deletion waits for the provider. */
const patienceMs = 5_000;
const atOnce = 5;
/** The maximum that one call of the page may name. */
const idsAtOnce = 100;
const importedAtOnce = 10;

type RemovedRow = { id: number; filename: string; copyIds: number[] };

/** @throws if a retry later makes sense; the copy says why in either case */
async function removeCopy(dependencies: Dependencies, { userId, copyId }: CopyPayload) {
  const { db, provider, keys, isGone } = dependencies;
  const copies = providerFileRepository(db);
  const copy = await copies.find(userId, copyId);
  if (copy?.state !== 'removing') return;
  if (copy.instance !== null && !(await isGone(copy.instance))) throw new Error('The file is still being sent');
  if (copy.providerFileId === null && copy.sentAt === null) return copies.delete(userId, copyId);
  try {
    const apiKey = await keys.open(userId);
    const id = copy.providerFileId ?? (await findUploadedCopy({ db, provider }, apiKey, copy));
    if (id !== undefined) await provider.files.remove(apiKey, id);
  } catch (error) {
    return notRemoved(dependencies, { userId, copyId }, error);
  }
  await copies.delete(userId, copyId);
}

async function notRemoved({ db, keys, providerName }: Dependencies, { userId, copyId }: CopyPayload, error: unknown) {
  const copies = providerFileRepository(db);
  if (error instanceof AppError)
    // Saving a key retries it.
    return copies.noteError(
      userId,
      copyId,
      `Its copy at ${providerName} will be removed once you save a working API key.`,
    );
  if (error instanceof ProviderError) await copies.noteError(userId, copyId, error.message);
  if (!(error instanceof ProviderError) || error.code !== 'key_rejected') throw error;
  await keys.noteRejected(userId, error.message);
}

/** Deletes it from the database, and stores jobs for the rest. Returns undefined if there is no such file. */
const removeRow = (
  { db, log, connectionCopies }: Dependencies,
  userId: number,
  id: number,
): Promise<RemovedRow | undefined> =>
  db.transaction().execute(async (trx) => {
    const copyIds = await providerFileRepository(trx).release(userId, id);
    await connectionCopies.release(trx, userId, id);
    const file = await fileRepository(trx).delete(userId, id);
    if (!file) return undefined;
    await storeRemovalOfBytes(trx, [file.storedKey], log);
    // Due after the user's wait: until then the request itself asks the provider, and once.
    for (const copyId of copyIds) await enqueue(trx, removeCopyJob, { userId, copyId }, { inMs: patienceMs });
    return { id, filename: file.filename, copyIds };
  });

/** Waits a moment for the provider; jobs finish what takes longer. */
async function tryNow(dependencies: Dependencies, userId: number, copyIds: number[]) {
  const giveUpAt = performance.now() + patienceMs;
  const left = [...copyIds];
  async function takeTurns() {
    for (let copyId = left.shift(); copyId !== undefined; copyId = left.shift()) {
      const milliseconds = giveUpAt - performance.now();
      if (milliseconds <= 0) return;
      // Its failure is recorded with the copy, and the job tries again.
      const attempt = removeCopy(dependencies, { userId, copyId }).catch(() => undefined);
      await settlesWithin(milliseconds, attempt);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, takeTurns));
}

/** Removes the copies of deleted files, and reports how far that has come. */
async function removeCopies(dependencies: Dependencies, userId: number, rows: RemovedRow[]) {
  const { db, providerName } = dependencies;
  await tryNow(
    dependencies,
    userId,
    rows.flatMap(({ copyIds }) => copyIds),
  );
  const pending = new Map(
    (await providerFileRepository(db).pendingRemovals(userId)).map(({ id, error }) => [id, error]),
  );
  return rows.map(({ id, filename, copyIds }): RemovedFile => {
    const left = copyIds.find((copyId) => pending.has(copyId));
    if (left === undefined) return { id, filename, provider: 'removed', message: null };
    const why = pending.get(left) ?? `${providerNameIn('beginning', providerName)} has not confirmed it yet.`;
    return { id, filename, provider: 'removing', message: `${why} Roster keeps trying.` };
  });
}

async function remove(dependencies: Dependencies, userId: number, fileId: number): Promise<RemovedFile> {
  const row = await removeRow(dependencies, userId, fileId);
  if (!row) throw new AppError('not_found', 'File not found.');
  const [removed] = await removeCopies(dependencies, userId, [row]);
  if (!removed) throw new Error('A file that was removed has no result');
  return removed;
}

async function removeMany(dependencies: Dependencies, userId: number, ids: number[]) {
  const rows: RemovedRow[] = [];
  const failed: { id: number; message: string }[] = [];
  for (const id of new Set(ids)) {
    const row = await removeRow(dependencies, userId, id);
    if (row) rows.push(row);
    else failed.push({ id, message: 'File not found.' });
  }
  return { deleted: await removeCopies(dependencies, userId, rows), failed };
}

/** Removes files here and at the provider. Bytes follow the rows, by jobs of the same transaction. */
export function removal(dependencies: Dependencies) {
  const { db, store, log } = dependencies;
  return {
    jobs: [removalOfBytes(store), jobHandler(removeCopyJob, (copy) => removeCopy(dependencies, copy))],
    remove: (userId: number, fileId: number) => remove(dependencies, userId, fileId),
    removeMany: (userId: number, ids: number[]) => removeMany(dependencies, userId, ids),

    /** Deletes every file of a user. Returns how many copies could not be removed at the provider. */
    async removeEverywhere(userId: number): Promise<number> {
      const ids = (await fileRepository(db).all(userId)).map(({ id }) => id);
      for (let from = 0; from < ids.length; from += idsAtOnce)
        await removeMany(dependencies, userId, ids.slice(from, from + idsAtOnce));
      const elsewhere = await dependencies.connectionCopies.removeReleased(userId);
      return (await providerFileRepository(db).pendingRemovals(userId)).length + elsewhere;
    },

    /** Deletes some files that an import has brought and nothing uses. Returns true if there may be more. */
    async removeImported(userId: number, importId: number): Promise<boolean> {
      const ids = await fileRepository(db).importedUnused(userId, importId, importedAtOnce);
      for (const id of ids) await removeRow(dependencies, userId, id);
      return ids.length === importedAtOnce;
    },

    /** In the transaction that closes an account: rows are deleted with it, bytes by a job afterwards. */
    async removeAllOf(trx: Kysely<Database>, userId: number) {
      const storedKeys = (await fileRepository(trx).all(userId)).map(({ storedKey }) => storedKey);
      await storeRemovalOfBytes(trx, storedKeys, log);
    },
  };
}
