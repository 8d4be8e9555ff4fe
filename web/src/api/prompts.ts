import { type PromptDraft, prompts } from '@roster/contracts/prompts/prompts';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call, urlOf } from '#web/lib/api-client.ts';

const promptsKey = ['prompts'] as const;
const pageSize = 50;
/** Cursor of the first page. */
const start = '';

/** The prompts by name. */
export const promptsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: [...promptsKey, 'list', search],
    queryFn: ({ pageParam, signal }) =>
      call(
        prompts.list,
        {
          query: {
            limit: pageSize,
            ...(search === '' ? {} : { search }),
            ...(pageParam === start ? {} : { cursor: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  });

/** Matches in the message field, the most recently used first. */
export const promptMatchesQuery = (search: string) =>
  queryOptions({
    queryKey: [...promptsKey, 'matches', search],
    queryFn: ({ signal }) =>
      call(prompts.list, { query: { limit: 30, sort: 'used', ...(search === '' ? {} : { search }) } }, signal),
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  });

export const promptQuery = (id: number) =>
  queryOptions({
    queryKey: [...promptsKey, 'one', id],
    queryFn: ({ signal }) => call(prompts.get, { params: { id } }, signal),
    // A dialog must not show, and then overwrite, an outdated text.
    staleTime: 0,
    gcTime: 0,
  });

export const promptExportAddress = urlOf(prompts.exportAll, {});

function usePromptChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => void client.invalidateQueries({ queryKey: promptsKey }) });
}

export const useCreatePrompt = () => usePromptChange((body: PromptDraft) => call(prompts.create, { body }));

export const useUpdatePrompt = (id: number) =>
  usePromptChange((body: PromptDraft & { updatedAt: string }) => call(prompts.update, { params: { id }, body }));

export const useRemovePrompt = () => usePromptChange((id: number) => call(prompts.remove, { params: { id } }));

export const useMarkPromptUsed = () => usePromptChange((id: number) => call(prompts.markUsed, { params: { id } }));

export const usePreviewPromptImport = () =>
  useMutation({
    mutationFn: (body: unknown) => call(prompts.importFile, { query: { preview: 'true' }, body }),
  });

export const useImportPrompts = () => usePromptChange((body: unknown) => call(prompts.importFile, { body }));
