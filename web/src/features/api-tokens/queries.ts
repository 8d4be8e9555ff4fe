import { apiTokens, type NewAccessToken } from '@roster/contracts/api-tokens';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

export const accessTokensQuery = queryOptions({
  queryKey: ['access-tokens'],
  queryFn: ({ signal }) => call(apiTokens.list, {}, signal),
  // Other clients change the time of last use.
  staleTime: 0,
});

export function useCreateToken() {
  const refetch = useRefetch(accessTokensQuery.queryKey);
  return useMutation({
    mutationFn: (body: NewAccessToken) => call(apiTokens.create, { body }),
    onSettled: refetch,
    // The response contains the token; do not cache it beyond the dialog.
    gcTime: 0,
  });
}

export function useRevokeToken() {
  const refetch = useRefetch(accessTokensQuery.queryKey);
  return useMutation({
    mutationFn: (id: number) => call(apiTokens.revoke, { params: { id } }),
    onSettled: refetch,
  });
}
