import type { ApiTool } from '@roster/contracts/public-api/assistants/tools';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { StoreSearch } from '#server/features/public-api/vector-stores/search';
import type { FileSearch } from '#server/provider/provider';

type SearchScope = { assistantId: number; tools: readonly ApiTool[]; storeIds: readonly string[] };

/**
 * Knowledge that an assistant searches with `file_search`: its own files, and the vector stores assigned to it.
 * @throws PublicApiError if a store does not exist
 */
export const assistantSearch =
  (
    knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>,
    searchedStores: StoreSearch['forAnswer'],
  ) =>
  async (userId: number, { assistantId, tools, storeIds: named }: SearchScope): Promise<Knowledge> => {
    const tool = tools.find(({ type }) => type === 'file_search');
    if (tool?.type !== 'file_search') return { search: undefined, notes: [] };
    const knowledge = await knowledgeOf(userId, assistantId);
    const { storeIds, files, onRefused } = await searchedStores(userId, [...named]);
    const all = [...(knowledge.search?.storeIds ?? []), ...storeIds];
    if (all.length === 0) return { search: undefined, notes: knowledge.notes };
    const search: FileSearch = {
      files: new Map([...(knowledge.search?.files ?? []), ...files]),
      storeIds: all,
      onRefused() {
        knowledge.search?.onRefused();
        onRefused();
      },
      maxResults: tool.file_search?.max_num_results,
      ranking: tool.file_search?.ranking_options,
    };
    return { search, notes: knowledge.notes };
  };

export type AssistantSearch = ReturnType<typeof assistantSearch>;
