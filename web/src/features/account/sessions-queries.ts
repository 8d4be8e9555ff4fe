import { auth } from '@roster/contracts/auth';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(auth.sessions, {}, signal),
  staleTime: 60_000,
});

function useRefetchedSessions() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}

export function useEndSession() {
  const refetch = useRefetchedSessions();
  return useMutation({
    mutationFn: (id: string) => call(auth.endSession, { params: { id } }),
    onSettled: refetch,
  });
}

export function useEndOtherSessions() {
  const refetch = useRefetchedSessions();
  return useMutation({ mutationFn: () => call(auth.endOtherSessions, {}), onSettled: refetch });
}
