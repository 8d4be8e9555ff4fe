import { account } from '@roster/contracts/account';
import { auth, type LoginProvider } from '@roster/contracts/auth';
import { files } from '@roster/contracts/files/files';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { clearUser, currentUserQuery } from '#web/api/current-user.ts';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { sessionsQuery } from './sessions-queries.ts';
import { securityEventsQuery } from './shared/security-events-query.ts';

/** Constant while the page is open: a newer server sends a new page. */
export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => call(account.version, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Google and GitHub accounts that can sign in to this account. */
export const connectedAccountsQuery = queryOptions({
  queryKey: ['connected-accounts'],
  queryFn: ({ signal }) => call(auth.connectedAccounts, {}, signal),
});

const filesAskedFor = 100;

/** Newest files with a provider copy, and whether there may be more. */
export const filesAtProviderQuery = queryOptions({
  queryKey: ['files', 'at-provider'],
  async queryFn({ signal }) {
    const newest = await call(files.list, { query: { limit: filesAskedFor } }, signal);
    return {
      files: newest.filter(({ provider }) => provider.state === 'ready' || provider.state === 'forwarding'),
      areAll: newest.length < filesAskedFor,
    };
  },
  refetchOnMount: 'always',
});

/** Refetches everything that a security change affects: user, login methods, sessions, activity. */
const useRefetchedSecurity = () =>
  useRefetch(
    currentUserQuery.queryKey,
    connectedAccountsQuery.queryKey,
    sessionsQuery.queryKey,
    securityEventsQuery.queryKey,
  );

export function useChangeName() {
  const client = useQueryClient();
  const refetch = useRefetchedSecurity();
  return useMutation({
    mutationFn: (name: string) => call(auth.changeName, { body: { name } }),
    onSuccess: (user) => {
      client.setQueryData(currentUserQuery.queryKey, user);
      return refetch();
    },
  });
}

export function useChangeEmail() {
  const refetch = useRefetchedSecurity();
  return useMutation({
    mutationFn: (wanted: { email: string; password?: string }) => call(auth.changeEmail, { body: wanted }),
    onSuccess: refetch,
  });
}

export function useChangePassword() {
  const refetch = useRefetchedSecurity();
  return useMutation({
    mutationFn: (passwords: { currentPassword: string; newPassword: string }) =>
      call(auth.changePassword, { body: passwords }),
    onSuccess: refetch,
  });
}

export function useDisconnect() {
  const refetch = useRefetchedSecurity();
  return useMutation({
    mutationFn: (provider: LoginProvider) => call(auth.disconnect, { params: { provider } }),
    // After a failure too: it may have been disconnected elsewhere.
    onSettled: refetch,
  });
}

export type Closing = { password?: string; removeAtProvider: boolean };

export function useCloseAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ password, removeAtProvider }: Closing) =>
      call(account.closeAccount, {
        body: { ...(password !== undefined && { password }), ...(removeAtProvider && { removeAtProvider }) },
      }),
    onSuccess: () => {
      clearUser(client);
    },
  });
}
