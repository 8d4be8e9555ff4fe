import { comparisonJudging, type Judging, type JudgingDetail } from '@roster/contracts/comparisons/judging';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { judgingsKey, refreshJudgings, refreshTestSets } from '#web/features/comparisons/shared/refresh.ts';
import { call } from '#web/lib/api-client.ts';

const pollMs = 1_000;

export const judgingsQuery = (id: number) =>
  queryOptions({
    queryKey: [...judgingsKey(id), 'list'],
    queryFn: async ({ signal }): Promise<Judging[]> =>
      (await call(comparisonJudging.list, { params: { id } }, signal)).items,
    refetchOnMount: 'always',
  });

export const judgingQuery = (id: number, judgingId: number) =>
  queryOptions({
    queryKey: [...judgingsKey(id), 'one', judgingId],
    queryFn: ({ signal }): Promise<JudgingDetail> =>
      call(comparisonJudging.judging, { params: { id, judgingId } }, signal),
    refetchOnMount: 'always',
    refetchInterval: ({ state }) => (state.data?.state === 'asking' ? pollMs : false),
  });

export type JudgingDraft = { model: string; criteria: string };

/** Estimate for judging all answered prompts. */
export const judgingEstimateQuery = (id: number, answered: number, draft: JudgingDraft) =>
  queryOptions({
    queryKey: [...judgingsKey(id), 'estimate', answered, draft],
    queryFn: ({ signal }) => call(comparisonJudging.estimate, { params: { id }, body: draft }, signal),
    enabled: draft.model !== '' && draft.criteria.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });

type Start = { judgingId: number; overBudget?: boolean };

export function useJudgingCalls(id: number) {
  const client = useQueryClient();
  const onSettled = () => Promise.all([refreshJudgings(client, id), refreshTestSets(client)]);
  const create = useMutation({
    mutationFn: (draft: JudgingDraft & { overBudget?: boolean }) =>
      call(comparisonJudging.create, { params: { id }, body: draft }),
    onSettled,
  });
  const start = useMutation({
    mutationFn: ({ judgingId, overBudget = false }: Start) =>
      call(comparisonJudging.start, { params: { id, judgingId }, body: { overBudget } }),
    onSettled,
  });
  const stop = useMutation({
    mutationFn: (judgingId: number) => call(comparisonJudging.stop, { params: { id, judgingId } }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (judgingId: number) => call(comparisonJudging.remove, { params: { id, judgingId } }),
    onSettled,
  });
  return { create, start, stop, remove };
}
