import { setTimeout as wait } from 'node:timers/promises';
import type { FilePurpose } from '@roster/contracts/files/files';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { ProviderError } from '#server/provider/transport/error';
import type { CopyPayload } from './jobs.ts';
import { type ProviderFile, providerFileRepository } from './provider-file-repository.ts';
import { fileRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  /** In a transaction: makes sure that there will be a copy with this purpose. */
  ensure: (trx: Kysely<Database>, userId: number, fileId: number, purpose: FilePurpose) => Promise<void>;
  /** Sends it, unless another process does. */
  forward: (copy: CopyPayload) => Promise<void>;
};

type CopyToFind = { filename: string; copy: ProviderFile };

/** Interval of looking while another process, or a background job, sends it. */
const lookEveryMs = 200;

const notForwarded = (filename: string, why: string | null) =>
  new ProviderError(
    'provider_unavailable',
    `The file “${filename}” could not be copied to the provider. ${why ?? 'Try again in a few minutes.'}`,
  );

const waitingForKey = 'It will be sent once you save an API key in Settings.';

/**
 * Provider ids of files that an answer needs there, such as those that its code reads. Files that the provider does not
 * have yet are forwarded first.
 */
export function providerFileIds({ db, ensure, forward }: Dependencies) {
  /** Returns undefined if the file was deleted. A file that was used for training is sent again, for answers. */
  const wanted = (userId: number, fileId: number): Promise<CopyToFind | undefined> =>
    db.transaction().execute(async (trx) => {
      const files = fileRepository(trx);
      // Another answer may want the same file.
      await files.lock(userId);
      const file = await files.stored(userId, fileId);
      if (!file) return undefined;
      const purpose = file.purpose === 'fine-tune' ? 'assistants' : file.purpose;
      await ensure(trx, userId, fileId, purpose);
      const copy = await providerFileRepository(trx).ofFile(userId, fileId, purpose);
      return copy && { filename: file.filename, copy };
    });

  /** The copy once nobody is sending it; undefined if the file was deleted. */
  async function settled(userId: number, copyId: number, signal: AbortSignal): Promise<ProviderFile | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const copy = await providerFileRepository(db).find(userId, copyId);
      if (copy?.state !== 'forwarding') return copy?.fileId === null ? undefined : copy;
      await wait(lookEveryMs, undefined, { signal });
    }
  }

  async function one(userId: number, fileId: number, signal: AbortSignal): Promise<string | undefined> {
    const found = await wanted(userId, fileId);
    if (!found) return undefined;
    const { filename, copy } = found;
    const before = await settled(userId, copy.id, signal);
    // An answer does not wait for the later retries of a background job.
    if (before?.state === 'queued' || before?.state === 'waiting_for_key') await forward({ userId, copyId: copy.id });
    const now = await settled(userId, copy.id, signal);
    if (!now) return undefined;
    if (now.state === 'ready' && now.providerFileId !== null) return now.providerFileId;
    throw notForwarded(filename, now.state === 'waiting_for_key' ? waitingForKey : now.error);
  }

  return {
    /** Provider ids by file id, in order, without deleted files. @throws ProviderError if one cannot be forwarded */
    async atProvider(userId: number, fileIds: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
      const wantedIds = [...new Set(fileIds)];
      const ready = await providerFileRepository(db).readyFor(userId, wantedIds);
      const found = new Map<number, string>();
      for (const fileId of wantedIds) {
        const id = ready.get(fileId) ?? (await one(userId, fileId, signal));
        if (id !== undefined) found.set(fileId, id);
      }
      return found;
    },
  };
}
