import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/openai-api/ids';
import { programStoreRepository } from './repository.ts';

type Dependencies = { db: Kysely<Database>; ids: () => Promise<Ids> };

/** The stores that a run searches, as the provider knows them. What is not there, or has expired, is missing. */
export const searchedStores =
  ({ db, ids }: Dependencies) =>
  async (userId: number, named: string[]): Promise<{ storeIds: string[]; missing: string[] }> => {
    const { decode } = await ids();
    const stores = programStoreRepository(db);
    const storeIds: string[] = [];
    const missing: string[] = [];
    for (const id of named) {
      const number = decode('vs', id);
      const store = number === undefined ? undefined : await stores.find(userId, number);
      if (!store || store.hasExpired) missing.push(id);
      else {
        if (store.providerStoreId !== null) storeIds.push(store.providerStoreId);
        await stores.touch(userId, store);
      }
    }
    return { storeIds, missing };
  };
