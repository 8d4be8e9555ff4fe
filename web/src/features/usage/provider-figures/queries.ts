import { usage } from '@roster/contracts/usage/usage';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Same as in the contract, which this page does not import because of its schemas. */
export const maxProviderRangeDays = 180;

const figures = ['provider-figures'] as const;

export const adminKeyQuery = queryOptions({
  queryKey: ['admin-key'],
  queryFn: ({ signal }) => call(usage.adminKey, {}, signal),
});

/** Cached as long as on the server: the provider books with a delay, and each range is a new request. */
export const providerFiguresQuery = (days: { from: string; to: string }) =>
  queryOptions({
    queryKey: [...figures, days],
    queryFn: ({ signal }) => call(usage.providerFigures, { query: days }, signal),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    // The server has already retried.
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
