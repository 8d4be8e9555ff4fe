import { fineTuning, type Job, type JobDraft } from '@roster/contracts/fine-tuning/jobs';
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call, callForBytes, callPage } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { modelsQuery } from './models.ts';

const all = ['fine-tuning'] as const;
const jobsKey = [...all, 'jobs'] as const;
const customModelsKey = [...all, 'custom-models'] as const;
const pageSize = 50;
/** Cursor of the first page. */
const start = '';
const after = (cursor: string) => (cursor === start ? {} : { cursor: Number(cursor) });

/** Poll interval in milliseconds for what is visible. */
const pollMs = 5_000;

const finalStates: readonly string[] = ['succeeded', 'failed', 'cancelled'];
export const isOpen = ({ status }: Job): boolean => !finalStates.includes(status);

export const baseModelsQuery = queryOptions({
  queryKey: [...all, 'base-models'],
  queryFn: ({ signal }) => call(fineTuning.baseModels, {}, signal),
  staleTime: 5 * 60_000,
});

export const trainingPlacesQuery = queryOptions({
  queryKey: [...all, 'connections'],
  queryFn: ({ signal }) => call(fineTuning.places, {}, signal),
  refetchOnMount: 'always',
});

export const jobsQuery = infiniteQueryOptions({
  queryKey: [...jobsKey, 'list'],
  queryFn: ({ pageParam, signal }) =>
    callPage(fineTuning.jobs, { query: { limit: pageSize, ...after(pageParam) } }, signal),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isOpen)) ? pollMs : false),
});

/** Jobs that are not final. Polled on every page and in hidden tabs, because the user is waiting for the end. */
export const openJobsQuery = queryOptions({
  queryKey: [...jobsKey, 'open'],
  queryFn: ({ signal }) => call(fineTuning.jobs, { query: { open: 'true', limit: 100 } }, signal),
  refetchInterval: ({ state }) => (state.data && state.data.length > 0 ? 30_000 : false),
  refetchIntervalInBackground: true,
});

export const jobQuery = (id: number) =>
  queryOptions({
    queryKey: [...jobsKey, id],
    queryFn: ({ signal }) => call(fineTuning.job, { params: { id } }, signal),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollMs : false),
  });

/** Data of a job grows until the job is final. */
const pollWhileOpen = (isJobOpen: boolean) =>
  ({ refetchOnMount: 'always', refetchInterval: isJobOpen ? pollMs : false }) as const;

export const metricsQuery = (id: number, isJobOpen: boolean) =>
  queryOptions({
    queryKey: [...jobsKey, id, 'metrics'],
    queryFn: ({ signal }) => call(fineTuning.metrics, { params: { id } }, signal),
    ...pollWhileOpen(isJobOpen),
  });

export const checkpointsQuery = (id: number, isJobOpen: boolean) =>
  queryOptions({
    queryKey: [...jobsKey, id, 'checkpoints'],
    queryFn: ({ signal }) => call(fineTuning.checkpoints, { params: { id } }, signal),
    ...pollWhileOpen(isJobOpen),
  });

export const eventsQuery = (id: number, isJobOpen: boolean) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey, id, 'events'],
    queryFn: ({ pageParam, signal }) =>
      call(fineTuning.events, { params: { id }, query: { limit: pageSize, ...after(pageParam) } }, signal),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
    ...pollWhileOpen(isJobOpen),
  });

export const customModelsQuery = infiniteQueryOptions({
  queryKey: [...customModelsKey, 'list'],
  queryFn: ({ pageParam, signal }) =>
    callPage(fineTuning.customModels, { query: { limit: pageSize, ...after(pageParam) } }, signal),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
  refetchOnMount: 'always',
});

/** Metrics of every step, in the provider's file. */
export const fetchResultFile = async (id: number): Promise<Blob> =>
  (await callForBytes(fineTuning.resultFile, { params: { id } })).blob();

/** Refetches jobs, their models and the lists of models to choose from. */
export const useRefetchedJobs = () => useRefetch(jobsKey, customModelsKey, modelsQuery.queryKey);

export function useCreateJob() {
  const refetch = useRefetchedJobs();
  return useMutation({
    mutationFn: (draft: z.input<typeof JobDraft>) => call(fineTuning.createJob, { body: draft }),
    onSuccess: refetch,
  });
}

export function useImportJobs() {
  const refetch = useRefetchedJobs();
  return useMutation({ mutationFn: () => call(fineTuning.importJobs, {}), onSuccess: refetch });
}

const changes = { cancel: fineTuning.cancelJob, pause: fineTuning.pauseJob, resume: fineTuning.resumeJob };
export type JobChange = keyof typeof changes;

export function useChangeJob() {
  const refetch = useRefetchedJobs();
  return useMutation({
    mutationFn: ({ id, change }: { id: number; change: JobChange }) => call(changes[change], { params: { id } }),
    // After a failure too: the job may have ended meanwhile.
    onSettled: refetch,
  });
}

export function useActivateCheckpoint() {
  const refetch = useRefetchedJobs();
  return useMutation({
    mutationFn: ({ id, checkpointId }: { id: number; checkpointId: number }) =>
      call(fineTuning.activateCheckpoint, { params: { id, checkpointId } }),
    onSuccess: refetch,
  });
}

export function useUpdateCustomModel() {
  const refetch = useRefetchedJobs();
  return useMutation({
    mutationFn: ({ id, isActive }: { id: number; isActive: boolean }) =>
      call(fineTuning.updateCustomModel, { params: { id }, body: { isActive } }),
    onSettled: refetch,
  });
}

export function useRemoveCustomModel() {
  const refetch = useRefetchedJobs();
  return useMutation({
    mutationFn: (id: number) => call(fineTuning.removeCustomModel, { params: { id } }),
    onSettled: refetch,
  });
}
