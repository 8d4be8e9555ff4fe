import { assistantVersions } from '@roster/contracts/assistants/versions';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { call, callPage } from '#web/lib/api-client.ts';

/** Nested under the assistants' key, so that changes there refetch this too. */
const keyOf = (id: number) => [...assistantsQuery.queryKey, id, 'versions'] as const;

const start = '';

/** Versions of an assistant, newest first. */
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

/** A full version. Its files and tools may have been deleted since. */
export const versionQuery = (id: number, number: number) =>
  queryOptions({
    queryKey: [...keyOf(id), number],
    queryFn: ({ signal }) => call(assistantVersions.get, { params: { id, number } }, signal),
  });

export function useRestore(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (number: number) => call(assistantVersions.restore, { params: { id, number } }),
    // Files and tools appear in other lists. Not awaited: refetching would replace the dialog that shows the result.
    onSuccess: () => void client.invalidateQueries(),
  });
}
