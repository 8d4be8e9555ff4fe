import { assistantVersions } from '@roster/contracts/assistants/versions';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { call, callPage } from '#web/lib/api-client.ts';

/** Below the assistants: what changes one is read again here, too. */
const keyOf = (id: number) => [...assistantsQuery.queryKey, id, 'versions'] as const;

const start = '';

/** The versions of an assistant, the newest first. */
export const versionsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: keyOf(id),
    queryFn: ({ pageParam, signal }) =>
      callPage(
        assistantVersions.list,
        { params: { id }, query: pageParam === start ? {} : { cursor: Number(pageParam) } },
        signal,
      ),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    refetchOnMount: 'always',
  });

/** One of them, whole. What of it is there any more may change. */
export const versionQuery = (id: number, number: number) =>
  queryOptions({
    queryKey: [...keyOf(id), number],
    queryFn: ({ signal }) => call(assistantVersions.get, { params: { id, number } }, signal),
  });

export function useRestore(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (number: number) => call(assistantVersions.restore, { params: { id, number } }),
    // Its files and tools are in lists of others. Not waited for: with the lists, the dialog that is to say so would be another.
    onSuccess: () => void client.invalidateQueries(),
  });
}
