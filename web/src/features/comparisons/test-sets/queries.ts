import { assistantVersions } from '@roster/contracts/assistants/versions';
import { replays } from '@roster/contracts/comparisons/replays';
import { type NewTestRun, type TestRun, testSets } from '@roster/contracts/comparisons/test-sets';
import { datasets } from '@roster/contracts/fine-tuning/datasets';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { z } from 'zod';
import { comparisonQuery } from '#web/features/comparisons/shared/queries.ts';
import { testSetsKey as key, refreshTestSets } from '#web/features/comparisons/shared/refresh.ts';
import { call } from '#web/lib/api-client.ts';

const pollMs = 1_000;
/** Cursor of the first page. */
const start = '';

export type SetBody = z.input<typeof testSets.create.body>;
export type SetChange = z.input<typeof testSets.update.body>;

/** True while a run is asking or judging. */
export const isInProgress = (run: Pick<TestRun, 'state' | 'isJudging'> | null | undefined): boolean =>
  run?.state === 'asking' || run?.isJudging === true;

export const testSetsQuery = (assistantId: number) =>
  queryOptions({
    queryKey: [...key, 'of', assistantId],
    queryFn: async ({ signal }) => (await call(testSets.list, { params: { id: assistantId } }, signal)).items,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.some(({ newestRun }) => isInProgress(newestRun)) ? pollMs : false),
  });

export const testSetQuery = (id: number) =>
  queryOptions({
    queryKey: [...key, 'one', id],
    queryFn: ({ signal }) => call(testSets.set, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export const runsQuery = (setId: number) =>
  infiniteQueryOptions({
    queryKey: [...key, 'runs', setId],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === start ? {} : { cursor: Number(pageParam) };
      return call(testSets.runs, { params: { id: setId }, query }, signal);
    },
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? pollMs : false),
  });

export const resultsQuery = (runId: number) =>
  queryOptions({
    queryKey: [...key, 'results', runId],
    queryFn: ({ signal }) => call(testSets.results, { params: { id: runId } }, signal),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (isInProgress(state.data?.run) ? pollMs : false),
  });

/** Estimate of a run. */
export const runEstimateQuery = (setId: number, run: z.input<typeof NewTestRun> | undefined) =>
  queryOptions({
    queryKey: [...key, 'estimate', setId, run],
    queryFn: ({ signal }) => {
      if (!run) throw new Error('There is no run to estimate');
      return call(testSets.estimate, { params: { id: setId }, body: run }, signal);
    },
    enabled: run !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Newest versions of an assistant. */
export const newestVersionsQuery = (assistantId: number) =>
  queryOptions({
    queryKey: [...key, 'versions', assistantId],
    queryFn: ({ signal }) =>
      call(assistantVersions.list, { params: { id: assistantId }, query: { limit: 50 } }, signal),
    refetchOnMount: 'always',
  });

/** Questions asked of an assistant, whatever model answered. */
export const askedQuery = (assistantId: number) =>
  queryOptions({
    queryKey: [...key, 'asked', assistantId],
    queryFn: async ({ signal }) =>
      (await call(replays.questions, { params: { id: assistantId }, query: {} }, signal)).items,
    refetchOnMount: 'always',
  });

export const datasetsQuery = queryOptions({
  queryKey: [...key, 'datasets'],
  queryFn: async ({ signal }) => (await call(datasets.list, { query: { limit: 100 } }, signal)).items,
  refetchOnMount: 'always',
});

export const examplesQuery = (datasetId: number) =>
  queryOptions({
    queryKey: [...key, 'examples', datasetId],
    queryFn: async ({ signal }) =>
      (await call(datasets.examples, { params: { id: datasetId }, query: { limit: 50 } }, signal)).items,
  });

export function useSetCalls() {
  const client = useQueryClient();
  const onSettled = () => refreshTestSets(client);
  return {
    create: useMutation({
      mutationFn: ({ assistantId, body }: { assistantId: number; body: SetBody }) =>
        call(testSets.create, { params: { id: assistantId }, body }),
      onSettled,
    }),
    update: useMutation({
      mutationFn: ({ id, body }: { id: number; body: SetChange }) => call(testSets.update, { params: { id }, body }),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: number) => call(testSets.remove, { params: { id } }),
      onSuccess: (_, id) => client.removeQueries({ queryKey: testSetQuery(id).queryKey }),
      onSettled: () => client.invalidateQueries({ queryKey: ['comparisons'] }),
    }),
  };
}

export function useRunSet(setId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run, overBudget }: { run: z.input<typeof NewTestRun>; overBudget: boolean }) =>
      call(testSets.run, { params: { id: setId }, body: { ...run, overBudget } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparisons'] }),
    onSuccess: ({ id }) => client.removeQueries({ queryKey: comparisonQuery(id).queryKey }),
  });
}
