import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { type FileStore, fileKeyOf } from '#server/storage/file-store';
import { removeBytesJob } from './jobs.ts';

/** Keys in one job. */
const keysAtOnce = 100;

/**
 * In the transaction that deletes the rows: stores jobs that remove their bytes. A row that names no bytes is deleted
 * like the others, because there is nothing to remove for it; the log says so.
 */
export async function storeRemovalOfBytes(trx: Kysely<Database>, storedKeys: string[], log: FastifyBaseLogger) {
  const storageKeys = storedKeys.map(fileKeyOf).filter((key) => key !== undefined);
  const damaged = storedKeys.length - storageKeys.length;
  if (damaged > 0) log.error({ event: 'damaged_file_rows', damaged }, 'deleted file rows without a valid storage key');
  for (let from = 0; from < storageKeys.length; from += keysAtOnce)
    await enqueue(trx, removeBytesJob, { storageKeys: storageKeys.slice(from, from + keysAtOnce) });
}

export const removalOfBytes = (store: FileStore): JobHandler =>
  jobHandler(removeBytesJob, async ({ storageKeys }) => {
    for (const key of storageKeys) await store.remove(key);
  });
