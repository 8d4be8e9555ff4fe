import { type BulkAction, trash } from '@roster/contracts/trash';
import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { carryOut } from '#web/features/chat/shared/mutations.ts';
import { hideThread, refreshLists } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';

export const trashQuery = infiniteQueryOptions({
  queryKey: ['trash'],
  queryFn: ({ pageParam, signal }) =>
    call(trash.list, { query: pageParam === undefined ? {} : { cursor: pageParam } }, signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
});

export const refreshTrash = (client: QueryClient) => client.invalidateQueries({ queryKey: trashQuery.queryKey });

/** Changes several conversations, and the lists that show them. */
export const changeThreads = (client: QueryClient, action: BulkAction, ids: readonly number[]) =>
  carryOut(client, async () => {
    const result = await call(trash.change, { body: { ids: [...ids], action } });
    if (action !== 'restore') for (const id of ids) hideThread(client, id);
    Promise.all([refreshLists(client), refreshTrash(client)]).catch(reportError);
    return result;
  });
