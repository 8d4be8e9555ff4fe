import type { Ids } from '#server/features/public-api/shared/ids';
import { type SearchedStores, type StoreSearch, storeLost } from '#server/features/public-api/vector-stores/search';
import { isObject } from '#server/lib/is-object';
import type { ProviderError } from '#server/provider/transport/error';
import type { CitableSources } from './file-names.ts';

/** Vector stores that the tools of a response search. */
export type SearchTargets = Omit<CitableSources, 'before'> & {
  /** The tools, with the provider's ids of vector stores. */
  tools: unknown;
  /** Error for the client if the provider lacks one of the stores. Roster's are made again. */
  gone: (error: ProviderError) => Error;
};

type Search = { tools: unknown[]; own?: SearchedStores; others: unknown[] };

/** Reads which vector stores a request names. */
export function searchStores(ids: () => Promise<Ids>, searchedStores: StoreSearch['forAnswer']) {
  /** Leaves out a search of a store without content, which the provider does not know. */
  async function searchOf(userId: number, tool: unknown): Promise<Search> {
    if (!isObject(tool) || tool.type !== 'file_search' || !Array.isArray(tool.vector_store_ids))
      return { tools: [tool], others: [] };
    const { decode } = await ids();
    const isOurs = (id: unknown): id is string => typeof id === 'string' && decode('vs', id) !== undefined;
    const named = tool.vector_store_ids.filter(isOurs);
    const others = tool.vector_store_ids.filter((id) => !isOurs(id));
    if (named.length === 0) return { tools: [tool], others };
    const own = await searchedStores(userId, named);
    const all = [...others, ...own.storeIds];
    return { tools: all.length === 0 ? [] : [{ ...tool, vector_store_ids: all }], own, others };
  }

  /** @throws PublicApiError for a vector store that does not exist */
  return async (userId: number, tools: unknown): Promise<SearchTargets> => {
    const searches = Array.isArray(tools) ? await Promise.all(tools.map((tool) => searchOf(userId, tool))) : [];
    const own = searches.flatMap(({ own: stores }) => stores ?? []);
    const hasOthers = searches.some(({ others }) => others.length > 0);
    return {
      tools: Array.isArray(tools) ? searches.flatMap(({ tools: those }) => those) : tools,
      files: new Map(own.flatMap(({ files }) => [...files])),
      areAll: !hasOthers && own.some(({ storeIds }) => storeIds.length > 0),
      hasOthers,
      gone(error) {
        for (const { onRefused } of own) onRefused();
        const isNamed = own.some(({ storeIds }) => storeIds.some((id) => error.message.includes(id)));
        return isNamed || (own.length > 0 && !hasOthers) ? storeLost(error) : error;
      },
    };
  };
}
