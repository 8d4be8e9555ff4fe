import type { Kysely } from 'kysely';
import type { Database } from '../../../db/schema.ts';
import { jobRepository } from '../../../jobs/repository.ts';
import { knowledgeRepository } from './repository.ts';
import { storeRepository } from './store-repository.ts';

export const indexKind = 'assistants.index';
export const removeStoreKind = 'assistants.remove-store';

const now = () => new Date().toISOString();

/** Has the vector store of an assistant made what the assistant’s files say, by a job of the same transaction. */
export const queueIndexing = (trx: Kysely<Database>, userId: number, assistantId: number, at = now()) =>
  jobRepository(trx).ensure(indexKind, { userId, assistantId }, at);

/** A file has come to the provider, or could not: whoever knows from it looks again. */
export async function copySettled(trx: Kysely<Database>, userId: number, fileId: number) {
  for (const assistantId of await knowledgeRepository(trx).assistantsWith(userId, fileId))
    await queueIndexing(trx, userId, assistantId);
}

/** In the transaction that deletes an assistant, or after its last file was taken away. */
export async function releaseStore(trx: Kysely<Database>, userId: number, assistantId: number) {
  const storeId = await storeRepository(trx).release(userId, assistantId);
  if (storeId !== undefined) await jobRepository(trx).ensure(removeStoreKind, { userId, storeId }, now());
}
