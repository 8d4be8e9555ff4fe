import { fineTuning, type Job, type JobDraft } from '@roster/contracts/fine-tuning/jobs';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { call, callForBytes, callPage } from '#web/lib/api-client.ts';
import { modelsQuery } from './models.ts';

const all = ['fine-tuning'] as const;
const jobsKey = [...all, 'jobs'] as const;
const customModelsKey = [...all, 'custom-models'] as const;
const pageSize = 50;
/** The cursor of the first page. */
const start = '';
const after = (cursor: string) => (cursor === start ? {} : { cursor: Number(cursor) });

/** How often what is under way is looked at while it is shown. */
const pollMs = 5_000;

const finalStates: readonly string[] = ['succeeded', 'failed', 'cancelled'];
export const isOpen = ({ status }: Job): boolean => !finalStates.includes(status);

export const baseModelsQuery = queryOptions({
  queryKey: [...all, 'base-models'],
  queryFn: ({ signal }) => call(fineTuning.baseModels, {}, signal),
  staleTime: 5 * 60_000,
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

/** What is under way. Polled whatever page is shown, hidden ones included: its end is waited for. */
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

/** What belongs to one job grows while it is open. */
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

/** The metrics of every step, as the provider wrote them down. */
export const fetchResultFile = async (id: number): Promise<Blob> =>
  (await callForBytes(fineTuning.resultFile, { params: { id } })).blob();

/** After something has happened to jobs: they, what came of them, and what can be chosen as a model. */
export function useRefetchedJobs() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: jobsKey }),
      client.invalidateQueries({ queryKey: customModelsKey }),
      client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    ]);
}

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
    // Also where it failed: the job may have ended meanwhile.
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
