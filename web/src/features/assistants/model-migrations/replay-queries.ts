import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { replays } from '@roster/contracts/comparisons/replays';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';

/** Questions that an assistant answered with a model. */
export const askedQuestionsQuery = (id: number, model: string, programs: boolean) =>
  queryOptions({
    queryKey: ['asked-questions', id, model, programs],
    queryFn: ({ signal }) =>
      call(replays.questions, { params: { id }, query: { model, programs: programs ? 'true' : 'false' } }, signal),
    refetchOnMount: 'always',
  });

/** Nested under the comparisons' key, so that changes there refetch this too. */
const listKey = ['comparisons', 'replays'] as const;

export const replaysQuery = queryOptions({
  queryKey: listKey,
  queryFn: ({ signal }) => call(comparisons.list, { query: { kind: 'replay', limit: 10 } }, signal),
  refetchOnMount: 'always',
});

export function usePrepareReplay(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: z.input<typeof replays.create.body>) => call(replays.create, { params: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey }),
  });
}
