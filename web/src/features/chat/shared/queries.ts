import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { type ThreadWindow, withFirstPage } from './thread-window.ts';

/** The user's own conversations, those of API clients, or the archive of both. */
export type ThreadView = 'recent' | 'programs' | 'archived';
/** Days as YYYY-MM-DD, in local time. */
export type SearchFilters = {
  assistant?: number | undefined;
  model?: string | undefined;
  from?: string | undefined;
  /** Included. */
  to?: string | undefined;
  files?: 'true' | 'false' | undefined;
  rating?: 'good' | 'bad' | undefined;
};
export const unfiltered: SearchFilters = {};
/** `only` is left out without filters. */
export type ThreadFilter = { q: string; view: ThreadView; only?: SearchFilters };

/** False for a list that new conversations belong to as well. */
export const isSearch = ({ q, only }: ThreadFilter) => q !== '' || only !== undefined;

/** The first moment of a day, or of a later one. */
const momentOf = (day: string, later: number) => {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
};
const queryOf = ({ from, to, ...others }: SearchFilters) => ({
  ...others,
  ...(from !== undefined && { from: momentOf(from, 0) }),
  ...(to !== undefined && { to: momentOf(to, 1) }),
});

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
        ...(only && queryOf(only)),
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
