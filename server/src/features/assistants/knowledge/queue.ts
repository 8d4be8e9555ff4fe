import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';
import { knowledgeRepository } from './repository.ts';
import { storeRepository } from './store-repository.ts';

/** Jobs may be slow and must not delay mail. */
export const indexJob = defineJob({
  name: 'assistants.index',
  payload: z.object({ userId: z.number(), assistantId: z.number() }),
  atOnce: 2,
});

export const removeStoreJob = defineJob({
  name: 'assistants.remove-store',
  payload: z.object({ userId: z.number(), storeId: z.number() }),
  // More than a week of retries.
  attempts: 200,
});

/** Enqueues, in the caller’s transaction, the job that brings an assistant’s vector store in line with its files. */
export const queueIndexing = (trx: Kysely<Database>, userId: number, assistantId: number, inMs = 0) =>
  enqueueOnce(trx, indexJob, { userId, assistantId }, { inMs });

/**
 * Call it once a file was uploaded to the provider, or failed to be: the assistants that search it are indexed again.
 */
export async function providerFileSettled(trx: Kysely<Database>, userId: number, fileId: number) {
  for (const assistantId of await knowledgeRepository(trx).assistantsWith(userId, fileId))
    await queueIndexing(trx, userId, assistantId);
}

/** Call it in the transaction that deletes an assistant, or after its last file was removed. */
export async function releaseStore(trx: Kysely<Database>, userId: number, assistantId: number) {
  const storeId = await storeRepository(trx).release(userId, assistantId);
  if (storeId !== undefined) await enqueueOnce(trx, removeStoreJob, { userId, storeId });
}

/** Call it in the transaction that deletes an API client’s vector store. */
export async function releaseApiStore(trx: Kysely<Database>, userId: number, storeId: number) {
  await storeRepository(trx).releaseForClient(userId, storeId);
  await enqueueOnce(trx, removeStoreJob, { userId, storeId });
}

/** Call it in a transaction. The API client’s vector store remains as expired and is removed at the provider. */
export async function expireApiStore(trx: Kysely<Database>, userId: number, storeId: number) {
  await storeRepository(trx).expire(userId, storeId);
  await enqueueOnce(trx, removeStoreJob, { userId, storeId });
}
