import { modelRetirement } from '@roster/contracts/models/retirement';
import { system } from '@roster/contracts/system';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => call(system.report, {}, signal),
});

/** Retiring models, with how much of the installation uses each. */
export const retiringModelsQuery = queryOptions({
  queryKey: ['system', 'ending-models'],
  queryFn: async ({ signal }) => (await call(modelRetirement.ofAll, {}, signal)).items,
});

export function useRetryJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(system.retryJob, { params: { id } }),
    // After a refusal too: another administrator may have retried it.
    onSettled: () => client.invalidateQueries({ queryKey: systemQuery.queryKey }),
  });
}
