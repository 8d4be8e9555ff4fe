import type { FilePurpose } from '@roster/contracts/files/files';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import type { ConnectionKey } from '#server/provider/connections/connection-key';
import type { OpenConnection } from '#server/provider/connections/open';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { FileStore } from '#server/storage/file-store';
import { type ConnectionCopy, connectionCopyRepository } from './connection-copy-repository.ts';
import { type CopyPayload, removeConnectionCopyJob } from './jobs.ts';
import { onlyAlike } from './listed-copies.ts';
import { fileRepository } from './repository.ts';

type CopyPurpose = Extract<FilePurpose, 'fine-tune'>;

type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  provider: Pick<Provider, 'files'>;
  openConnection: OpenConnection;
};

/** Longer than sending may take: until then another process may still be sending it. */
const sendingMs = 11 * 60_000;
const isBeingSent = ({ sent_at: sentAt }: ConnectionCopy) =>
  sentAt !== null && Date.now() - Date.parse(sentAt) < sendingMs;

const uploading = (filename: string) =>
  new ProviderError('provider_unavailable', `The file “${filename}” is still being sent.`);

/** A copy that was sent without an answer, if it arrived and cannot be confused with another one. */
async function findSent({ db, provider }: Dependencies, key: ConnectionKey, copy: ConnectionCopy) {
  const { sent_at: sentAt } = copy;
  if (sentAt === null) return undefined;
  const taken = await connectionCopyRepository(db).takenIds(copy.user_id, copy.connection_id);
  return onlyAlike(await provider.files.list(key), { ...copy, sentAt }, taken);
}

async function uploadCopy(
  { db, store, provider }: Dependencies,
  key: ConnectionKey,
  copy: ConnectionCopy,
): Promise<string | undefined> {
  const copies = connectionCopyRepository(db);
  const file = copy.file_id === null ? undefined : await fileRepository(db).stored(copy.user_id, copy.file_id);
  if (!file) return undefined;
  const content = await store.read(file.storageKey);
  if (!(await copies.markSent(copy.user_id, copy))) {
    content.destroy();
    throw uploading(copy.filename);
  }
  const { filename, type, size: bytes } = file;
  try {
    return await provider.files.upload(key, { filename, type, purpose: copy.purpose, bytes, content });
  } catch (error) {
    if (error instanceof ProviderError && !error.isUncertain) await copies.forget(copy.user_id, copy.id);
    throw error;
  }
}

/** @throws if a retry later makes sense */
async function removeCopy(dependencies: Dependencies, { userId, copyId }: CopyPayload) {
  const { db, provider, openConnection } = dependencies;
  const copies = connectionCopyRepository(db);
  const copy = await copies.find(userId, copyId);
  if (!copy || copy.file_id !== null) return;
  const key = await openConnection(userId, copy.connection_id);
  const id = copy.provider_file_id ?? (await findSent(dependencies, key, copy));
  if (id === undefined && isBeingSent(copy)) throw uploading(copy.filename);
  if (id !== undefined) await provider.files.remove(key, id);
  await copies.delete(userId, copyId);
}

/** Copies of files at the providers of people's connections: sent where they are needed, once for each. */
export function connectionCopies(dependencies: Dependencies) {
  const { db, provider } = dependencies;
  const copies = connectionCopyRepository(db);

  return {
    jobs: [jobHandler(removeConnectionCopyJob, (copy) => removeCopy(dependencies, copy))],

    /**
     * The provider's id of the copy, which is sent first if it is not there yet. undefined: the file was deleted.
     * @throws ProviderError
     */
    async forward(key: ConnectionKey, userId: number, fileId: number, purpose: CopyPurpose) {
      const file = await fileRepository(db).stored(userId, fileId);
      if (!file) return undefined;
      const place = { connection_id: key.connection.id, file_id: fileId, purpose };
      const copy = await copies.findOrInsert(userId, { ...place, filename: file.filename, bytes: file.size });
      if (copy.provider_file_id !== null) return copy.provider_file_id;
      const sent = await findSent(dependencies, key, copy);
      if (sent === undefined && isBeingSent(copy)) throw uploading(copy.filename);
      const id = sent ?? (await uploadCopy(dependencies, key, copy));
      if (id === undefined) return undefined;
      if (await copies.arrived(userId, copy.id, id)) return id;
      await enqueue(db, removeConnectionCopyJob, { userId, copyId: copy.id });
      return undefined;
    },

    /** Forgets copies that the provider no longer lists. true: there were some, which are sent again. */
    async check(key: ConnectionKey, userId: number): Promise<boolean> {
      const listed = await provider.files.list(key);
      if (!listed) return false;
      const there = new Set(listed.map(({ id }) => id));
      const lost = (await copies.arrivedAt(userId, key.connection.id)).filter(
        ({ provider_file_id: id }) => id !== null && !there.has(id),
      );
      for (const { id } of lost) await copies.forget(userId, id);
      return lost.length > 0;
    },

    /** In the transaction that deletes the file: jobs delete its copies. */
    async release(trx: Kysely<Database>, userId: number, fileId: number) {
      for (const copyId of await connectionCopyRepository(trx).release(userId, fileId))
        await enqueue(trx, removeConnectionCopyJob, { userId, copyId });
    },

    /** Returns how many could not be deleted. */
    async removeReleased(userId: number): Promise<number> {
      for (const copyId of await copies.pendingRemovals(userId))
        await removeCopy(dependencies, { userId, copyId }).catch(() => undefined);
      return (await copies.pendingRemovals(userId)).length;
    },
  };
}

export type ConnectionCopies = ReturnType<typeof connectionCopies>;
