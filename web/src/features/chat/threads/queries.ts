import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api.ts';
import { type ThreadWindow, withFirstPage } from './thread-window.ts';

export type ThreadFilter = { q: string; archived: boolean };

export const listsKey = ['threads', 'list'] as const;
const listKey = (filter: ThreadFilter) => [...listsKey, filter] as const;
export const listPage = ({ q, archived }: ThreadFilter, cursor: string | undefined, signal?: AbortSignal) =>
  call(
    chat.threads,
    {
      query: {
        limit: 50,
        // A search that does not say where looks into the archive too.
        ...(q === '' ? {} : { q }),
        ...(q === '' || archived ? { archived: archived ? 'true' : 'false' } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      },
    },
    signal,
  );

/** The beginning of a list. Reading it again refreshes the first page and leaves what lies behind it. */
export const threadListQuery = (filter: ThreadFilter) =>
  queryOptions({
    queryKey: listKey(filter),
    queryFn: async ({ client, signal }): Promise<ThreadWindow> => {
      const page = await listPage(filter, undefined, signal);
      return filter.q === '' ? withFirstPage(client.getQueryData<ThreadWindow>(listKey(filter)), page) : page;
    },
    refetchOnWindowFocus: 'always',
  });
