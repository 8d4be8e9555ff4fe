import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';
import { storeFileRepository } from './file-repository.ts';

/** Each may take a while: mail must not wait for them. */
export const fillStoreJob = defineJob({
  name: 'vector-stores.fill',
  payload: z.object({ userId: z.number(), storeId: z.number() }),
  atOnce: 2,
});

/** Enqueues, in the caller's transaction, the job that brings a store at the provider in line with its files. */
export const enqueueSync = (trx: Kysely<Database>, userId: number, storeId: number, inMs = 0) =>
  enqueueOnce(trx, fillStoreJob, { userId, storeId }, { inMs });

/** A file has been forwarded, or could not be: the stores of programs that have it go on. */
export async function onCopyFinishedInStores(trx: Kysely<Database>, userId: number, fileId: number) {
  for (const storeId of await storeFileRepository(trx).storesWith(userId, fileId))
    await enqueueSync(trx, userId, storeId);
}
