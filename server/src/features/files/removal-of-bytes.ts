import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/schema.ts';
import { jobRepository } from '../../jobs/repository.ts';
import { jobKind } from '../../jobs/worker.ts';
import { FileKey, type FileStore, fileKeyOf } from '../../storage/file-store.ts';

const kindName = 'files.remove-bytes';
/** In one job. */
const keysAtOnce = 100;
/** More than a week. */
const triesAtMost = 200;

/**
 * In the transaction that deletes the rows: their bytes go afterwards, by a job. A row that names no bytes is deleted
 * like the others, since there is nothing to remove for it; the log says so.
 */
export async function storeRemovalOfBytes(trx: Kysely<Database>, storedKeys: string[], log: FastifyBaseLogger) {
  const storageKeys = storedKeys.map(fileKeyOf).filter((key) => key !== undefined);
  const damaged = storedKeys.length - storageKeys.length;
  if (damaged > 0) log.error({ event: 'damaged_file_rows', damaged }, 'deleted rows of files named no stored bytes');
  for (let from = 0; from < storageKeys.length; from += keysAtOnce)
    await jobRepository(trx).insert(
      kindName,
      { storageKeys: storageKeys.slice(from, from + keysAtOnce) },
      new Date().toISOString(),
    );
}

export const removalOfBytes = (store: FileStore) => ({
  [kindName]: {
    ...jobKind(z.object({ storageKeys: z.array(FileKey) }), async ({ storageKeys }) => {
      for (const key of storageKeys) await store.remove(key);
    }),
    attempts: triesAtMost,
  },
});
