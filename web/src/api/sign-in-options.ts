import { auth } from '@roster/contracts/auth';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** What this installation offers for signing in, and which provider it works with. Does not change while it runs. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => call(auth.options, {}, signal),
  staleTime: 5 * 60_000,
});

/** What to call the provider on screen. */
export function useProviderName(): string {
  return useQuery(signInOptionsQuery).data?.provider.name ?? 'OpenAI';
}
