import type { FilePurpose } from '@roster/contracts/files/files';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type Job, jobHandler } from '#server/jobs/define';
import { enqueue, enqueueOnce } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';
import { type CopyPayload, checkCopiesJob, forwardJob, removeCopyJob } from './jobs.ts';
import { providerFileRepository } from './provider-file-repository.ts';
import { fileRepository } from './repository.ts';
import { type Dependencies as ForwardDependencies, uploadToProvider } from './upload-to-provider.ts';

type Dependencies = ForwardDependencies & { isGone: (instance: number) => Promise<boolean> };

async function enqueueEach(trx: Kysely<Database>, job: Job<typeof CopyPayload>, userId: number, copyIds: number[]) {
  for (const copyId of copyIds) await enqueue(trx, job, { userId, copyId });
}

/** A key may belong to another account at the provider: files that are missing there are sent again. */
async function checkCopies({ db, keys, provider }: Dependencies, userId: number) {
  const ready = await providerFileRepository(db).inState(userId, 'ready');
  if (ready.length === 0) return;
  const listed = await keys
    .open(userId)
    .then((apiKey) => provider.files.list(apiKey))
    .catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      if (error instanceof ProviderError && !error.isTransient) return undefined;
      throw error;
    });
  if (!listed) return;
  const there = new Set(listed.map(({ id }) => id));
  for (const { id, providerFileId } of ready) {
    if (providerFileId === null || there.has(providerFileId)) continue;
    await db.transaction().execute(async (trx) => {
      if (await providerFileRepository(trx).lost(userId, id)) await enqueueEach(trx, forwardJob, userId, [id]);
    });
  }
}

/**
 * In a transaction: makes sure that there will be a copy with this purpose, whatever the file was uploaded for. A
 * failed copy is retried.
 */
async function ensureCopy(trx: Kysely<Database>, userId: number, fileId: number, purpose: FilePurpose) {
  const inTransaction = providerFileRepository(trx);
  const copy = await inTransaction.ofFile(userId, fileId, purpose);
  if (copy?.state === 'failed' || copy?.state === 'not_served')
    return enqueueEach(trx, forwardJob, userId, await inTransaction.queueAgain(userId, fileId));
  const file = await fileRepository(trx).stored(userId, fileId);
  if (copy || !file) return;
  const { filename, size: bytes, sha256 } = file;
  const id = await inTransaction.insert(userId, fileId, { filename, bytes, sha256, purpose }, 'queued');
  await enqueueEach(trx, forwardJob, userId, [id]);
}

/** Tries with the new key what waited for one, or failed with the old one, including removals. */
async function forwardWithNewKey({ db }: Dependencies, userId: number) {
  await db.transaction().execute(async (trx) => {
    const inTransaction = providerFileRepository(trx);
    await enqueueEach(trx, forwardJob, userId, await inTransaction.queueAgain(userId));
    const removing = await inTransaction.inState(userId, 'removing');
    await enqueueEach(
      trx,
      removeCopyJob,
      userId,
      removing.map(({ id }) => id),
    );
    await enqueue(trx, checkCopiesJob, { userId });
  });
}

/** Recovers what dead processes were sending. */
async function recoverCopies({ db, isGone }: Dependencies): Promise<number> {
  let taken = 0;
  for (const { id, userId, instance: sender } of await providerFileRepository(db).sending()) {
    if (sender === null || !(await isGone(sender))) continue;
    await db.transaction().execute(async (trx) => {
      if (await providerFileRepository(trx).abandon(id, sender)) await enqueueEach(trx, forwardJob, userId, [id]);
    });
    taken++;
  }
  return taken;
}

/** Sends files to the provider, each once, and records the result. */
export function providerUploads(dependencies: Dependencies) {
  const { db } = dependencies;
  const check = ({ userId }: { userId: number }) => checkCopies(dependencies, userId);

  return {
    checkCopies: check,
    jobs: [jobHandler(forwardJob, (copy) => uploadToProvider(dependencies, copy)), jobHandler(checkCopiesJob, check)],

    /** Requested by the owner. */
    async retry(userId: number, fileId: number) {
      await dependencies.keys.open(userId);
      await db.transaction().execute(async (trx) => {
        await enqueueEach(trx, forwardJob, userId, await providerFileRepository(trx).queueAgain(userId, fileId));
      });
    },

    ensure: ensureCopy,
    forward: (copy: CopyPayload) => uploadToProvider(dependencies, copy),
    keySaved: (userId: number) => forwardWithNewKey(dependencies, userId),

    /** Some were missing at the provider: those that it does not list are sent again. */
    checkAtProvider: (userId: number) => enqueueOnce(db, checkCopiesJob, { userId }),

    recover: () => recoverCopies(dependencies),
  };
}

export type ProviderUploads = ReturnType<typeof providerUploads>;
