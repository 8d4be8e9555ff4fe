import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Provider } from '#server/provider/provider';
import type { IndexedFile } from '#server/provider/resources/vector-stores';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { storeRepository, type VectorStore } from './store-repository.ts';

type VectorStores = Provider['vectorStores'];

type OpenStore = { storeId: string; listed: Map<string, IndexedFile> };

/** Milliseconds by which the provider’s clock may lag behind. */
export const clockToleranceMs = 5 * 60_000;

const byId = (files: IndexedFile[]) => new Map(files.map((file) => [file.id, file]));

/** `name`: the store’s name at the provider. */
type NamedStore = VectorStore & { name: string };

async function ask(db: Kysely<Database>, vectorStores: VectorStores, apiKey: Secret, store: NamedStore) {
  const { userId, id, token, name } = store;
  const stores = storeRepository(db);
  await stores.markSent(userId, id);
  try {
    return await vectorStores.create(apiKey, name, token);
  } catch (error) {
    if (error instanceof ProviderError && !error.isUncertain) await stores.notSent(userId, id);
    throw error;
  }
}

/** If an earlier request got no response, searches for its store first. */
async function create(db: Kysely<Database>, vectorStores: VectorStores, apiKey: Secret, store: NamedStore) {
  const { userId, id, token, sentAt } = store;
  const since = sentAt && new Date(Date.parse(sentAt) - clockToleranceMs).toISOString();
  const found = since ? await vectorStores.find(apiKey, token, since) : undefined;
  const storeId = found ?? (await ask(db, vectorStores, apiKey, store));
  await storeRepository(db).created(userId, id, storeId);
  return storeId;
}

/** Returns the store with its files, and creates it if there is none. */
export async function ensureVectorStore(
  db: Kysely<Database>,
  vectorStores: VectorStores,
  apiKey: Secret,
  store: NamedStore,
): Promise<OpenStore> {
  if (store.providerStoreId !== null)
    try {
      const listed = await vectorStores.files(apiKey, store.providerStoreId);
      return { storeId: store.providerStoreId, listed: byId(listed) };
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'store_gone') throw error;
      const token = await storeRepository(db).lost(store.userId, store.id);
      const storeId = await create(db, vectorStores, apiKey, { ...store, token, sentAt: null });
      return { storeId, listed: byId([]) };
    }
  const storeId = await create(db, vectorStores, apiKey, store);
  // A store that was found again may contain files.
  return { storeId, listed: byId(store.sentAt === null ? [] : await vectorStores.files(apiKey, storeId)) };
}
