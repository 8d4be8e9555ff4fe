import type { FilePurpose } from '@roster/contracts/files';
import { providerIn } from '@roster/contracts/provider-name';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { delayAfter, type Job, jobHandler } from '../../jobs/define.ts';
import { enqueue, enqueueOnce } from '../../jobs/queue.ts';
import { ProviderError } from '../../provider/error.ts';
import type { Provider } from '../../provider/provider.ts';
import type { Secret } from '../../security/secret.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { copyRepository, type ProviderCopy, type Sending } from './copy-repository.ts';
import { type CopyPayload, checkCopiesJob, forwardJob, removeCopyJob } from './jobs.ts';
import { fileRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  provider: Pick<Provider, 'files'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  providerName: string;
  instance: number;
  isGone: (instance: number) => Promise<boolean>;
  /** Called in the transaction that stores what came of sending a file. */
  onCopySettled: (trx: Kysely<Database>, userId: number, fileId: number) => Promise<void>;
  log: FastifyBaseLogger;
};

/** The last try about half a day after the first. */
const triesAtMost = 20;
/** How far the provider's clock may be behind ours. */
const clockTolerance = 5 * 60_000;

/** Some providers keep a quotation mark in the form in which it travels. */
const sameName = (listed: string, ours: string) => listed.replaceAll('%22', '"') === ours.replaceAll('%22', '"');

/** Sends files to the provider, each once, and knows what came of it. */
export function forwarding(dependencies: Dependencies) {
  const { db, store, provider, keys, providerName, instance, isGone, onCopySettled, log } = dependencies;
  const copies = copyRepository(db);

  /** The id of a copy that was sent without an answer, where it arrived and is not to be confused with another one. */
  async function lookUp(apiKey: Secret, copy: ProviderCopy): Promise<string | undefined> {
    if (copy.sentAt === null) return undefined;
    const since = new Date(Date.parse(copy.sentAt) - clockTolerance).toISOString();
    const listed = await provider.files.list(apiKey);
    const taken = await copies.takenIds(copy.userId);
    const alike = (listed ?? []).filter(
      (file) =>
        sameName(file.filename, copy.filename) &&
        file.bytes === copy.bytes &&
        file.purpose === copy.purpose &&
        file.createdAt >= since &&
        !taken.has(file.id),
    );
    const [found] = alike;
    if (!found || alike.length > 1 || (await copies.hasDouble(copy))) return undefined;
    return found.id;
  }

  async function send(apiKey: Secret, copy: ProviderCopy, fileId: number): Promise<string | undefined> {
    const file = await fileRepository(db).stored(copy.userId, fileId);
    if (!file) return undefined;
    const content = await store.read(file.storageKey);
    if (!(await copies.markSent(copy.userId, copy.id))) {
      content.destroy();
      return undefined;
    }
    const { filename, type, size: bytes } = file;
    return provider.files.send(apiKey, { filename, type, purpose: copy.purpose, bytes, content });
  }

  /** What a failure means for the file, in words for its owner. */
  async function failed(copy: ProviderCopy, error: unknown): Promise<Sending> {
    if (!(error instanceof ProviderError)) {
      log.error({ err: error, copyId: copy.id }, 'a file could not be forwarded');
      const message = 'Roster could not read the stored file. The operator finds the reason in the log.';
      return { state: 'failed', error: message, mayBeThere: copy.sentAt !== null };
    }
    const mayBeThere = error.isUncertain;
    if (error.code === 'key_rejected') await keys.noteRejected(copy.userId, error.message);
    if (error.code === 'not_served') {
      const message = `${providerIn('beginning', providerName)} does not keep files. The file stays in Roster, and you can download it here.`;
      return { state: 'not_served', error: message, mayBeThere };
    }
    const again = error.isPassing && copy.tries + 1 < triesAtMost;
    return { state: again ? 'queued' : 'failed', error: error.message, mayBeThere };
  }

  async function settle(copy: ProviderCopy, sending: Sending, retryAfterSeconds = 0) {
    await db.transaction().execute(async (trx) => {
      const isCurrent = await copyRepository(trx).end(copy.userId, copy.id, sending);
      const job = { userId: copy.userId, copyId: copy.id };
      if (!isCurrent) await enqueue(trx, removeCopyJob, job);
      else if (sending.state === 'queued') {
        const inMs = Math.max(delayAfter(copy.tries + 1), retryAfterSeconds * 1000);
        await enqueue(trx, forwardJob, job, { inMs });
      }
      if (isCurrent && copy.fileId !== null) await onCopySettled(trx, copy.userId, copy.fileId);
    });
  }

  /** undefined: there is none that can be used, and the copy says so. */
  async function keyFor(copy: ProviderCopy): Promise<Secret | undefined> {
    try {
      return await keys.open(copy.userId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isMissing = error.code === 'no_api_key';
      await copies.end(copy.userId, copy.id, {
        state: isMissing ? 'waiting_for_key' : 'failed',
        error: isMissing ? null : error.message,
        mayBeThere: true,
      });
      return undefined;
    }
  }

  async function forward({ userId, copyId }: CopyPayload) {
    const copy = await copies.find(userId, copyId);
    if (!copy || copy.fileId === null || (copy.state !== 'queued' && copy.state !== 'waiting_for_key')) return;
    const apiKey = await keyFor(copy);
    if (!apiKey || !(await copies.begin(userId, copyId, instance))) return;
    try {
      const id = (await lookUp(apiKey, copy)) ?? (await send(apiKey, copy, copy.fileId));
      // Without an id it was deleted before anything was sent.
      if (id === undefined) await settle(copy, { state: 'failed', error: null, mayBeThere: copy.sentAt !== null });
      else await settle(copy, { state: 'ready', error: null, providerFileId: id, mayBeThere: false });
    } catch (error) {
      const wait = error instanceof ProviderError ? error.retryAfterSeconds : undefined;
      await settle(copy, await failed(copy, error), wait);
    }
  }

  const enqueueEach = async (
    trx: Kysely<Database>,
    job: Job<typeof CopyPayload>,
    userId: number,
    copyIds: number[],
  ) => {
    for (const copyId of copyIds) await enqueue(trx, job, { userId, copyId });
  };

  /** A key may belong to another account at the provider: what is not there is sent again. */
  async function checkCopies({ userId }: { userId: number }) {
    const ready = await copies.inState(userId, 'ready');
    if (ready.length === 0) return;
    const listed = await keys
      .open(userId)
      .then((apiKey) => provider.files.list(apiKey))
      .catch((error: unknown) => {
        if (error instanceof AppError) return undefined;
        if (error instanceof ProviderError && !error.isPassing) return undefined;
        throw error;
      });
    if (!listed) return;
    const there = new Set(listed.map(({ id }) => id));
    for (const { id, providerFileId } of ready) {
      if (providerFileId === null || there.has(providerFileId)) continue;
      await db.transaction().execute(async (trx) => {
        if (await copyRepository(trx).lost(userId, id)) await enqueueEach(trx, forwardJob, userId, [id]);
      });
    }
  }

  return {
    lookUp,
    checkCopies,
    jobs: [jobHandler(forwardJob, forward), jobHandler(checkCopiesJob, checkCopies)],

    /** Asked for by its owner. */
    async retry(userId: number, fileId: number) {
      await keys.open(userId);
      await db.transaction().execute(async (trx) => {
        await enqueueEach(trx, forwardJob, userId, await copyRepository(trx).queueAgain(userId, fileId));
      });
    },

    /**
     * Within a transaction: there will be a copy with this purpose, whatever the file was uploaded for. One that failed
     * is tried again.
     */
    async ensure(trx: Kysely<Database>, userId: number, fileId: number, purpose: FilePurpose) {
      const inTransaction = copyRepository(trx);
      const copy = await inTransaction.ofFile(userId, fileId, purpose);
      if (copy?.state === 'failed' || copy?.state === 'not_served')
        return enqueueEach(trx, forwardJob, userId, await inTransaction.queueAgain(userId, fileId));
      const file = await fileRepository(trx).stored(userId, fileId);
      if (copy || !file) return;
      const { filename, size: bytes, sha256 } = file;
      const id = await inTransaction.insert(userId, fileId, { filename, bytes, sha256, purpose }, 'queued');
      await enqueueEach(trx, forwardJob, userId, [id]);
    },

    /** What waited for a key, or failed with the old one, is tried with the new one, removals included. */
    async keySaved(userId: number) {
      await db.transaction().execute(async (trx) => {
        const inTransaction = copyRepository(trx);
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
    },

    /** Some were not found at the provider: those that it does not list are sent again. */
    checkAtProvider: (userId: number) => enqueueOnce(db, checkCopiesJob, { userId }),

    /** Takes up what processes that are gone were sending. */
    async recover(): Promise<number> {
      let taken = 0;
      for (const { id, userId, instance: sender } of await copies.sending()) {
        if (sender === null || !(await isGone(sender))) continue;
        await db.transaction().execute(async (trx) => {
          if (await copyRepository(trx).abandon(id, sender)) await enqueueEach(trx, forwardJob, userId, [id]);
        });
        taken++;
      }
      return taken;
    },
  };
}

export type Forwarding = ReturnType<typeof forwarding>;
