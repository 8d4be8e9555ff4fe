import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';
import { storeFileRepository } from './file-repository.ts';

/** Each may take a while, and mail must not wait for it. */
export const fillStoreJob = defineJob({
  name: 'vector-stores.fill',
  payload: z.object({ userId: z.number(), storeId: z.number() }),
  atOnce: 2,
});

/** Enqueues, in the caller's transaction, the job that syncs a store with its files. */
export const enqueueSync = (trx: Kysely<Database>, userId: number, storeId: number, inMs = 0) =>
  enqueueOnce(trx, fillStoreJob, { userId, storeId }, { inMs });

/** Resumes the stores that contain a file which has been forwarded, or could not be. */
export async function onCopyFinishedInStores(trx: Kysely<Database>, userId: number, fileId: number) {
  for (const storeId of await storeFileRepository(trx).storesWith(userId, fileId))
    await enqueueSync(trx, userId, storeId);
}
