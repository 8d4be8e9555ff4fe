import type { Search } from '@roster/contracts/public-api/vector-stores';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/public-api/shared/ids';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import { PublicApiError } from '#server/http/public-api/errors';
import type { Provider, SearchedFile } from '#server/provider/provider';
import type { SearchOptions } from '#server/provider/resources/vector-stores';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { StoreAccess } from './access.ts';
import type { StoreEntry } from './file-repository.ts';
import { type ClientVectorStore, clientVectorStoreRepository, type IndexedEntry } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  ids: () => Promise<Ids>;
  access: StoreAccess;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { noteRejected: (userId: number, notice: string) => Promise<void> };
  /** Makes a store again that the provider no longer has. */
  repair: (userId: number, store: ClientVectorStore) => Promise<void>;
  onProblem: (error: unknown) => void;
  entryIn: (
    userId: number,
    storeId: string,
    fileId: string,
  ) => Promise<{ store: ClientVectorStore; entry: StoreEntry }>;
};

/** Error for the client if the provider no longer has a store. */
export const storeLost = (cause: ProviderError) =>
  new PublicApiError(
    'unavailable',
    'The provider no longer has this vector store. Its files are being indexed again; try again in a few minutes.',
    { retryAfterSeconds: 60, cause },
  );

function optionsOf({ query, filters, max_num_results, ranking_options, rewrite_query }: Search): SearchOptions {
  return {
    query,
    ...(filters && { filters }),
    ...(typeof max_num_results === 'number' && { max_num_results }),
    ...(ranking_options && { ranking_options }),
    ...(typeof rewrite_query === 'boolean' && { rewrite_query }),
  };
}

/** The vector stores that an answer may search, by their ids at the provider. */
export type SearchedStores = {
  storeIds: string[];
  /** Their files, by the ids by which the provider cites them. */
  files: ReadonlyMap<string, SearchedFile>;
  /** Called if they could not be searched: stores that the provider has lost are made again. */
  onRefused: () => void;
};

/**
 * Searches, and reads what was indexed. The provider is asked each time; Roster's rows decide which of its files belong
 * to the user.
 */
export function storeSearch({ db, ids, access, provider, keys, repair, onProblem, entryIn }: Dependencies) {
  const { vectorStores } = provider;
  const stores = clientVectorStoreRepository(db);
  const byProviderId = (entries: IndexedEntry[]) =>
    new Map(entries.map((entry): [string, IndexedEntry] => [entry.indexedFileId, entry]));

  /** @throws the error for the client */
  async function searchOrFail<Answer>(
    userId: number,
    store: ClientVectorStore,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.code === 'store_gone') {
        await repair(userId, store);
        throw storeLost(error);
      }
      if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message);
      throw publicFailure(error);
    }
  }

  async function found(userId: number, apiKey: Secret, store: ClientVectorStore, search: Search) {
    const files = byProviderId(await stores.indexed(userId, store));
    const { providerStoreId } = store;
    // Nothing of it can be found yet.
    if (providerStoreId === null || files.size === 0) return [];
    const passages = await searchOrFail(userId, store, () =>
      vectorStores.search(apiKey, providerStoreId, optionsOf(search)),
    );
    const { encode } = await ids();
    return passages.slice(0, search.max_num_results ?? 50).flatMap(({ fileId, score, text }) => {
      const file = files.get(fileId);
      // Removed here, but not at the provider yet.
      if (!file) return [];
      return [
        {
          file_id: encode('file', file.fileId),
          filename: file.filename,
          score,
          attributes: JSON.parse(file.attributes),
          content: [{ type: 'text' as const, text }],
        },
      ];
    });
  }

  return {
    async search(userId: number, id: string, search: Search) {
      const store = await access.live(db, userId, id);
      const apiKey = await access.served(userId);
      await stores.touch(userId, store);
      return {
        object: 'vector_store.search_results.page' as const,
        search_query: typeof search.query === 'string' ? [search.query] : search.query,
        data: await found(userId, apiKey, store, search),
        has_more: false as const,
        next_page: null,
      };
    },

    async content(userId: number, id: string, fileId: string) {
      const { store, entry } = await entryIn(userId, id, fileId);
      await access.live(db, userId, id);
      const apiKey = await access.served(userId);
      const { providerStoreId } = store;
      const indexed = (await stores.indexed(userId, store)).find((one) => one.fileId === entry.fileId);
      if (!indexed || providerStoreId === null)
        throw new PublicApiError('invalid_input', 'This file is not indexed, so its text is not available.', {
          param: 'file_id',
        });
      const texts = await searchOrFail(userId, store, () =>
        vectorStores.content(apiKey, providerStoreId, indexed.indexedFileId),
      );
      return {
        object: 'vector_store.file_content.page' as const,
        data: texts.map((text) => ({ type: 'text' as const, text })),
        has_more: false as const,
        next_page: null,
      };
    },

    /**
     * For an answer with `file_search`: the stores that the provider searches, and the files that it may cite. Stores
     * that are empty, or not made yet, are left out.
     * @throws 404, 400
     */
    async forAnswer(userId: number, storeIds: string[]): Promise<SearchedStores> {
      const files = new Map<string, SearchedFile>();
      const searched: string[] = [];
      const searchedStores: ClientVectorStore[] = [];
      for (const id of new Set(storeIds)) {
        const store = await access.live(db, userId, id);
        const entries = await stores.indexed(userId, store);
        if (store.providerStoreId === null || entries.length === 0) continue;
        await stores.touch(userId, store);
        searched.push(store.providerStoreId);
        searchedStores.push(store);
        for (const { indexedFileId, fileId, filename } of entries) files.set(indexedFileId, { fileId, filename });
      }
      const onRefused = () => void Promise.all(searchedStores.map((store) => repair(userId, store))).catch(onProblem);
      return { storeIds: searched, files, onRefused };
    },
  };
}

export type StoreSearch = ReturnType<typeof storeSearch>;
