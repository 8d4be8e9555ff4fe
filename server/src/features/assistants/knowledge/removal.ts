import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { jobHandler } from '#server/jobs/define';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { clockToleranceMs } from './ensure-vector-store.ts';
import { releaseApiStore, releaseStore, removeStoreJob } from './queue.ts';
import { storeRepository, type VectorStore } from './store-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  isGone: (instance: number) => Promise<boolean>;
};

type StoreOf = { userId: number; storeId: number };

/** Another run is filling the store and will release it soon. */
class StoreBusyError extends Error {
  override name = 'StoreBusyError';
}
const releaseTimeoutMs = 5_000;
const pollIntervalMs = 50;

/** Removes vector stores at the provider that no assistant and no API client needs any more. */
export function storeRemoval({ db, provider, keys, isGone }: Dependencies) {
  const stores = storeRepository(db);

  /** @throws if a later retry may succeed; the store’s row has the reason in either case */
  async function remove({ userId, storeId }: StoreOf) {
    const store = await stores.find(userId, storeId);
    if (store?.state !== 'removing' && store?.state !== 'expired') return;
    if (store.instance !== null && !(await isGone(store.instance)))
      throw new StoreBusyError('The store is being filled');
    try {
      if (store.providerStoreId !== null || store.sentAt !== null) {
        const apiKey = await keys.open(userId);
        const since = new Date(Date.parse(store.sentAt ?? '') - clockToleranceMs || 0).toISOString();
        const id = store.providerStoreId ?? (await provider.vectorStores.find(apiKey, store.token, since));
        if (id !== undefined) await provider.vectorStores.remove(apiKey, id);
      }
    } catch (error) {
      return notRemoved(store, error);
    }
    await removed(store);
  }

  /** An expired store remains as a row, because API clients can still read it. */
  const removed = ({ userId, id, state }: VectorStore) =>
    state === 'expired' ? stores.notThere(userId, id) : stores.delete(userId, id);

  async function notRemoved(store: VectorStore, error: unknown) {
    const { userId, id: storeId } = store;
    // Saving a key retries.
    if (error instanceof AppError) return stores.note(userId, storeId, error.message);
    if (!(error instanceof ProviderError)) throw error;
    // A provider without vector stores has nothing to remove.
    if (error.code === 'not_served') return removed(store);
    await stores.note(userId, storeId, error.message);
    if (error.code !== 'key_rejected') throw error;
    await keys.noteRejected(userId, error.message);
  }

  /** Failures are noted with the store, and the job retries. */
  async function tryNow(of: StoreOf) {
    const giveUpAt = performance.now() + releaseTimeoutMs;
    const isToBeTriedAgain = (error: unknown) => error instanceof StoreBusyError && performance.now() < giveUpAt;
    while (await remove(of).then(() => false, isToBeTriedAgain)) await sleep(pollIntervalMs);
  }

  return {
    job: jobHandler(removeStoreJob, remove),

    /** Removes every store of a user now, and returns how many could not be removed. */
    async removeEverywhere(userId: number) {
      for (const { id, assistantId, state } of await stores.all(userId))
        await db.transaction().execute(async (trx) => {
          if (assistantId !== null) await releaseStore(trx, userId, assistantId);
          else if (state !== 'removing') await releaseApiStore(trx, userId, id);
        });
      for (const { id } of await stores.all(userId)) await tryNow({ userId, storeId: id });
      return [{ left: (await stores.all(userId)).length, one: 'vector store', many: 'vector stores' }];
    },
  };
}
