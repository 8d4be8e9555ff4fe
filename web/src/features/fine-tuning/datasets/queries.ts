import {
  type Dataset,
  type DatasetExample,
  type DatasetFormat,
  datasets,
} from '@roster/contracts/fine-tuning/datasets';
import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRefetchedFiles } from '#web/api/files.ts';
import { call } from '#web/lib/api-client.ts';

export type ReviewFilter = DatasetExample['review'] | 'all';
export type GatheringChoice = { assistantId: number | null; withInstructions: boolean };
type ExamplesPage = { items: DatasetExample[]; nextCursor: string | null };

const datasetsKey = ['datasets'] as const;
const listsKey = [...datasetsKey, 'list'] as const;
const examplesKey = (datasetId: number) => [...datasetsKey, datasetId, 'examples'] as const;

export const datasetsQuery = infiniteQueryOptions({
  queryKey: listsKey,
  queryFn: ({ pageParam, signal }) =>
    call(datasets.list, { query: { limit: 50, ...(pageParam !== '' && { cursor: pageParam }) } }, signal),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  refetchOnMount: 'always',
});

/** Ratings change with each chat. */
export const availableQuery = (assistantId: number | null) =>
  queryOptions({
    queryKey: [...datasetsKey, 'available', assistantId],
    queryFn: ({ signal }) => call(datasets.available, { query: assistantId === null ? {} : { assistantId } }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchOnMount: 'always',
  });

export const datasetQuery = (id: number) =>
  queryOptions({
    queryKey: [...datasetsKey, id, 'dataset'],
    queryFn: ({ signal }) => call(datasets.dataset, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

/** Preview of the split; reviewing may change it. */
export const divisionQuery = (id: number, validationShare: number) =>
  queryOptions({
    queryKey: [...datasetsKey, id, 'division', validationShare],
    queryFn: ({ signal }) => call(datasets.division, { params: { id }, query: { validationShare } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A snapshot of the examples of a filter: reviewed ones stay in place until the filter is selected again. */
export const examplesQuery = (id: number, review: ReviewFilter) =>
  infiniteQueryOptions({
    queryKey: [...examplesKey(id), review],
    queryFn: ({ pageParam, signal }) =>
      call(
        datasets.examples,
        {
          params: { id },
          query: { limit: 20, ...(pageParam !== 0 && { cursor: pageParam }), ...(review !== 'all' && { review }) },
        },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.nextCursor === null ? null : Number(page.nextCursor)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

function showDataset(client: QueryClient, dataset: Dataset) {
  client.setQueryData(datasetQuery(dataset.id).queryKey, dataset);
  return client.invalidateQueries({ queryKey: listsKey });
}

export function useCreateDataset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: GatheringChoice & { name: string; format: DatasetFormat }) =>
      call(datasets.create, { body: input }),
    onSuccess: () => client.invalidateQueries({ queryKey: listsKey }),
  });
}

export function useGatherMore(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: GatheringChoice) => call(datasets.gather, { params: { id }, body: input }),
    onSuccess: async ({ dataset, added }) => {
      await showDataset(client, dataset);
      if (added > 0) await client.invalidateQueries({ queryKey: examplesKey(id) });
    },
  });
}

export function useRenameDataset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name }: { id: number; name: string }) =>
      call(datasets.update, { params: { id }, body: { name } }),
    onSuccess: (dataset) => showDataset(client, dataset),
  });
}

export function useDeleteDataset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(datasets.remove, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: listsKey }),
  });
}

type Change = Partial<Pick<DatasetExample, 'review' | 'instructions' | 'answer'>> & {
  question?: string;
  rejected?: string;
};

export function useUpdateExample(datasetId: number) {
  const client = useQueryClient();
  return useMutation({
    networkMode: 'always',
    mutationFn: ({ id, change }: { id: number; change: Change }) =>
      call(datasets.updateExample, { params: { id: datasetId, exampleId: id }, body: change }),
    onSuccess: async (example) => {
      client.setQueriesData<InfiniteData<ExamplesPage>>(
        { queryKey: examplesKey(datasetId) },
        (list) =>
          list && {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              items: page.items.map((item) => (item.id === example.id ? example : item)),
            })),
          },
      );
      await client.invalidateQueries({ queryKey: datasetQuery(datasetId).queryKey });
      await client.invalidateQueries({ queryKey: listsKey });
    },
  });
}

export function useSaveDataset(id: number) {
  const refetchFiles = useRefetchedFiles();
  return useMutation({
    mutationFn: (input: { filename: string; validationShare: number | null }) =>
      call(datasets.save, { params: { id }, body: input }),
    onSuccess: refetchFiles,
  });
}
