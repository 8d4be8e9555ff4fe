import { providerNameIn } from '@roster/contracts/provider-name';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/public-api/shared/ids';
import { PublicApiError, resourceNotFound } from '#server/http/public-api/errors';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { type ClientVectorStore, clientVectorStoreRepository } from './repository.ts';

type Dependencies = {
  ids: () => Promise<Ids>;
  config: Pick<Config, 'provider'>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { open: (userId: number) => Promise<Secret> };
};

export const noVectorStores = (providerName: string) =>
  `${providerNameIn('beginning', providerName)} has no vector stores.`;

const noStore = (id: string) => resourceNotFound('vector store', id);

/** Preconditions of a call: the store that it names exists, and the provider has vector stores. */
export function storeAccess({ ids, config, provider, keys }: Dependencies) {
  /** @throws 404 */
  async function find(db: Kysely<Database>, userId: number, id: string): Promise<ClientVectorStore> {
    const number = (await ids()).decode('vs', id);
    const store = number === undefined ? undefined : await clientVectorStoreRepository(db).find(userId, number);
    if (!store) throw noStore(id);
    return store;
  }

  /** A store that has not expired. @throws 404, 400 */
  async function live(db: Kysely<Database>, userId: number, id: string): Promise<ClientVectorStore> {
    const store = await find(db, userId, id);
    if (store.hasExpired)
      throw new PublicApiError('invalid_input', `Vector store '${id}' has expired.`, {
        param: 'vector_store_id',
        code: 'vector_store_expired',
      });
    return store;
  }

  /** A store made by a client. @throws 400 if it belongs to an assistant */
  function ofClient(store: ClientVectorStore): ClientVectorStore {
    if (store.assistantId === null) return store;
    throw new PublicApiError(
      'invalid_input',
      `This vector store holds the files of the assistant '${store.name}'. It changes with the assistant, not here.`,
      { param: 'vector_store_id', code: 'vector_store_of_assistant' },
    );
  }

  return {
    find,
    live,
    ofClient,
    isServed: async (userId: number): Promise<boolean> => provider.vectorStores.isServed(await keys.open(userId)),
    /** Call before anything is stored. @throws 400 if the provider has no vector stores, or if there is no key */
    async served(userId: number): Promise<Secret> {
      const apiKey = await keys.open(userId);
      if (!provider.vectorStores.isServed(apiKey))
        throw new PublicApiError('invalid_input', noVectorStores(config.provider.name), {
          code: 'vector_stores_not_served',
        });
      return apiKey;
    },
  };
}

export type StoreAccess = ReturnType<typeof storeAccess>;
