import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { type ThreadWindow, withFirstPage } from './thread-window.ts';

/** The user's own conversations, those of API clients, or the archive of both. */
export type ThreadView = 'recent' | 'programs' | 'archived';
/** Filters as the call takes them. */
type Filters = Pick<
  z.input<typeof chat.threads.query>,
  'assistant' | 'model' | 'from' | 'to' | 'files' | 'rating' | 'project'
>;
/** `only` is left out without filters. */
export type ThreadFilter = { q: string; view: ThreadView; only?: Filters };

/** False for a list that new conversations belong to as well. */
export const isSearch = ({ q, only }: ThreadFilter) => q !== '' || only !== undefined;

/** A search without a view covers everything. */
const placeOf = (view: ThreadView, q: string) => {
  if (view === 'recent') return q === '' ? ({ archived: 'false' } as const) : {};
  return view === 'archived' ? ({ archived: 'true' } as const) : ({ programs: 'true' } as const);
};

export const listsKey = ['threads', 'list'] as const;
const listKey = (filter: ThreadFilter) => [...listsKey, filter] as const;
export const listPage = ({ q, view, only }: ThreadFilter, cursor: string | undefined, signal?: AbortSignal) =>
  call(
    chat.threads,
    {
      query: {
        limit: 50,
        ...(q === '' ? {} : { q }),
        ...placeOf(view, q),
        ...only,
        ...(cursor === undefined ? {} : { cursor }),
      },
    },
    signal,
  );

/** First part of the list. A refetch updates the first page and keeps the rest. */
export const threadListQuery = (filter: ThreadFilter) =>
  queryOptions({
    queryKey: listKey(filter),
    queryFn: async ({ client, signal }): Promise<ThreadWindow> => {
      const page = await listPage(filter, undefined, signal);
      return isSearch(filter) ? page : withFirstPage(client.getQueryData<ThreadWindow>(listKey(filter)), page);
    },
    refetchOnWindowFocus: 'always',
  });
