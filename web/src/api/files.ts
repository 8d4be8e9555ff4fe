import { type File, type FilePurpose, type FileSort, files } from '@roster/contracts/files/files';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
} from '@tanstack/react-query';
import { call, callForBytes, callPage, urlOf } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { isJsonl } from './uploads/rules.ts';

/** Filter and order of the list of files. */
export type FilesView = { q: string; sort: FileSort; purpose: PurposeFilter | null };
/** `made`: created by a provider tool for an answer. */
export type PurposeFilter = FilePurpose | 'made';
type FilesPage = Awaited<ReturnType<typeof readPage>>;

const filesKey = ['files'] as const;
const pageSize = 50;
const deleteBatchSize = 100;
/** Cursor of the first page. */
const start = '';

const purposeQuery = (purpose: PurposeFilter) =>
  purpose === 'made' ? ({ madeByAssistant: 'true' } as const) : ({ purpose, madeByAssistant: 'false' } as const);

const readPage = ({ q, sort, purpose }: FilesView, cursor: string, signal?: AbortSignal) =>
  callPage(
    files.list,
    {
      query: {
        limit: pageSize,
        sort,
        ...(q === '' ? {} : { q }),
        ...(purpose !== null && purposeQuery(purpose)),
        ...(cursor === start ? {} : { cursor }),
      },
    },
    signal,
  );

export const filesQuery = (view: FilesView) =>
  infiniteQueryOptions({
    queryKey: [...filesKey, 'list', view],
    queryFn: ({ pageParam, signal }) => readPage(view, pageParam, signal),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    // Saving a provider key starts waiting uploads, so the list may be outdated.
    refetchOnMount: 'always',
  });

export const filesSummaryQuery = queryOptions({
  queryKey: [...filesKey, 'summary'],
  queryFn: ({ signal }) => call(files.summary, {}, signal),
  refetchOnMount: 'always',
});

/** Files that may contain training examples, those uploaded for training first. */
export const trainingFilesQuery = queryOptions({
  queryKey: [...filesKey, 'training'],
  queryFn: async ({ signal }) => {
    const found: File[] = [];
    let cursor: string | null = start;
    while (cursor !== null) {
      const query = { limit: 100, q: '.jsonl', ...(cursor === start ? {} : { cursor }) };
      const page: FilesPage = await callPage(files.list, { query }, signal);
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    const jsonl = found.filter(({ filename }) => isJsonl(filename));
    const isMeant = ({ purpose }: File) => purpose === 'fine-tune';
    return [...jsonl.filter(isMeant), ...jsonl.filter((file) => !isMeant(file))];
  },
});

/** Deleted files whose provider copy still exists. Polled with growing intervals until there are none. */
export const pendingRemovalsQuery = queryOptions({
  queryKey: [...filesKey, 'removals'],
  queryFn: ({ signal }) => call(files.removals, {}, signal),
  refetchOnMount: 'always',
  refetchInterval: ({ state }) =>
    state.data && state.data.length > 0 ? Math.min(60_000, 5_000 * 1.5 ** state.dataUpdateCount) : false,
});

/** True while the provider copy is queued or being forwarded. */
export const isInTransit = ({ provider }: File): boolean =>
  provider.state === 'queued' || provider.state === 'forwarding';

/** Refetches only the pages that contain files in transit and merges them into the list. */
export async function refreshFilesInTransit(client: QueryClient, view: FilesView): Promise<void> {
  const { queryKey } = filesQuery(view);
  const list = client.getQueryData<InfiniteData<FilesPage, string>>(queryKey);
  const cursors = list?.pageParams.filter((_, index) => list.pages[index]?.items.some(isInTransit)) ?? [];
  const pages = await Promise.all(cursors.map((cursor) => readPage(view, cursor)));
  const fresh = new Map(pages.flatMap(({ items }) => items.map((file) => [file.id, file])));
  client.setQueryData<InfiniteData<FilesPage, string>>(
    queryKey,
    (shown) =>
      shown && {
        ...shown,
        pages: shown.pages.map((page) => ({ ...page, items: page.items.map((file) => fresh.get(file.id) ?? file) })),
      },
  );
}

export const useRefetchedFiles = () => useRefetch(filesKey);

export type DeletedFiles = Awaited<ReturnType<typeof deleteFiles>>;

/** Deletes any number of files, in batches of the server's limit. */
async function deleteFiles(ids: readonly number[]) {
  const [id] = ids;
  if (ids.length === 1 && id !== undefined)
    return { deleted: [await call(files.remove, { params: { id } })], failed: [] };
  const answers = [];
  for (let from = 0; from < ids.length; from += deleteBatchSize)
    answers.push(await call(files.removeMany, { body: { ids: ids.slice(from, from + deleteBatchSize) } }));
  return { deleted: answers.flatMap(({ deleted }) => deleted), failed: answers.flatMap(({ failed }) => failed) };
}

export function useDeleteFiles() {
  const refetch = useRefetchedFiles();
  // After a failure too: some may have been deleted.
  return useMutation({ mutationFn: deleteFiles, onSettled: refetch });
}

export function useRetryFile() {
  const refetch = useRefetchedFiles();
  return useMutation({
    mutationFn: (id: number) => call(files.retry, { params: { id } }),
    onSettled: refetch,
  });
}

/** Download URL of a file. */
export const fileAddress = (id: number): string => urlOf(files.content, { params: { id } });

export const readFile = (id: number, signal: AbortSignal): Promise<Response> =>
  callForBytes(files.content, { params: { id } }, signal);
