import { auth, type SignInOptions } from '@roster/contracts/auth';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Login methods and the name of the provider. Constant while the server runs. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => call(auth.options, {}, signal),
  staleTime: 5 * 60_000,
});

/** The first visitor is sent to registration. The server’s pages go by the same rule. */
export const isNewInstallation = (options: SignInOptions | undefined): boolean =>
  options?.hasAccounts === false && options.registration === 'open' && options.passwordLogin;

/** Display name of the provider. */
export function useProviderName(): string {
  return useQuery(signInOptionsQuery).data?.provider.name ?? 'OpenAI';
}
