import { type File, type FilePurpose, type FileSort, files } from '@roster/contracts/files/files';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call, callForBytes, callPage, urlOf } from '#web/lib/api-client.ts';
import { isJsonl } from './uploads/rules.ts';

/** Which files are shown, and in which order. */
export type FilesView = { q: string; sort: FileSort; purpose: PurposeFilter | null };
/** `made`: by a tool of the provider, for an answer. */
export type PurposeFilter = FilePurpose | 'made';
type FilesPage = Awaited<ReturnType<typeof readPage>>;

const filesKey = ['files'] as const;
const pageSize = 50;
const deleteBatchSize = 100;
/** The cursor of the first page. */
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
    // A key that was saved meanwhile has set waiting files going.
    refetchOnMount: 'always',
  });

export const filesSummaryQuery = queryOptions({
  queryKey: [...filesKey, 'summary'],
  queryFn: ({ signal }) => call(files.summary, {}, signal),
  refetchOnMount: 'always',
});

/** Every file that could hold examples to train with; those that were uploaded for it first. */
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

/** Deleted files whose copy at the provider is still there. Asked again, ever less often, until there are none. */
export const pendingRemovalsQuery = queryOptions({
  queryKey: [...filesKey, 'removals'],
  queryFn: ({ signal }) => call(files.removals, {}, signal),
  refetchOnMount: 'always',
  refetchInterval: ({ state }) =>
    state.data && state.data.length > 0 ? Math.min(60_000, 5_000 * 1.5 ** state.dataUpdateCount) : false,
});

/** Whether the provider's copy changes by itself. */
export const isInTransit = ({ provider }: File): boolean =>
  provider.state === 'queued' || provider.state === 'forwarding';

/** Reads the pages again that hold files on their way, and takes over what has become of them. */
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

export function useRefetchedFiles() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: filesKey });
}

export type DeletedFiles = Awaited<ReturnType<typeof deleteFiles>>;

/** Deletes any number of files; the server takes a limited number with each call. */
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
  // Also where it failed: some of them may be gone.
  return useMutation({ mutationFn: deleteFiles, onSettled: refetch });
}

export function useRetryFile() {
  const refetch = useRefetchedFiles();
  return useMutation({
    mutationFn: (id: number) => call(files.retry, { params: { id } }),
    onSettled: refetch,
  });
}

/** Where a file is downloaded from. */
export const fileAddress = (id: number): string => urlOf(files.content, { params: { id } });

export const readFile = (id: number, signal: AbortSignal): Promise<Response> =>
  callForBytes(files.content, { params: { id } }, signal);
