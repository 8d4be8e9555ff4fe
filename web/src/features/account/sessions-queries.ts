import { auth } from '@roster/contracts/auth';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(auth.sessions, {}, signal),
  staleTime: 60_000,
});

export function useEndSession() {
  const refetch = useRefetch(sessionsQuery.queryKey);
  return useMutation({
    mutationFn: (id: string) => call(auth.endSession, { params: { id } }),
    onSettled: refetch,
  });
}

export function useEndOtherSessions() {
  const refetch = useRefetch(sessionsQuery.queryKey);
  return useMutation({ mutationFn: () => call(auth.endOtherSessions, {}), onSettled: refetch });
}
