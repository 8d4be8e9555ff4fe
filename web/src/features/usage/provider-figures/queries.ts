import { usage } from '@roster/contracts/usage/usage';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** As the server's contract has it; that stands beside its schemas, which this page does not load. */
export const maxProviderRangeDays = 180;

const figures = ['provider-figures'] as const;

export const adminKeyQuery = queryOptions({
  queryKey: ['admin-key'],
  queryFn: ({ signal }) => call(usage.adminKey, {}, signal),
});

/** Kept as long as the server keeps them: the provider books with some delay, and each range is asked of it anew. */
export const providerFiguresQuery = (days: { from: string; to: string }) =>
  queryOptions({
    queryKey: [...figures, days],
    queryFn: ({ signal }) => call(usage.providerFigures, { query: days }, signal),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    // The server has tried it again already, as far as that may help.
    retry: false,
  });

export function useSaveAdminKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (adminKey: string) => call(usage.saveAdminKey, { body: { adminKey } }),
    onSuccess: (state) => {
      client.removeQueries({ queryKey: figures });
      client.setQueryData(adminKeyQuery.queryKey, state);
    },
  });
}

export function useRemoveAdminKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(usage.removeAdminKey, {}),
    onSuccess: () => {
      client.setQueryData(adminKeyQuery.queryKey, { hasAdminKey: false, last4: null, addedAt: null, notice: null });
      client.removeQueries({ queryKey: figures });
    },
  });
}
