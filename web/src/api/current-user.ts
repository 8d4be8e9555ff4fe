import { auth, type User } from '@roster/contracts/auth';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, call } from '#web/lib/api-client.ts';
import { switchUser } from '#web/lib/storage/user-storage.ts';
import { announceColorsRemoved } from '#web/lib/theme/forget-colors.ts';

/** The signed-in user; null for a visitor. A 401 counts as an answer here, not as an error. */
export const currentUserQuery = queryOptions({
  queryKey: ['current-user'],
  queryFn: async ({ signal, client }): Promise<User | null> => {
    const user = await call(auth.currentUser, {}, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    });
    settle(client, user);
    return user;
  },
  retry: false,
});

const UserContext = createContext<User | null>(null);

/** Provided by the guard around all pages that need a signed-in user. */
export const UserProvider = UserContext.Provider;

export function useUser(): User {
  const user = useContext(UserContext);
  if (!user) throw new Error('useUser is used outside the signed-in part of the application');
  return user;
}

/** Shown beside controls that are disabled for Viewers. */
const viewerNotice = 'As a Viewer you can chat. Only Editors and Admins can make changes here.';

/** True if the user may change assistants, files and jobs; otherwise `reason` says why not. */
export function useEditAccess(): { mayEdit: boolean; reason: string | undefined } {
  const mayEdit = useUser().role !== 'Viewer';
  return { mayEdit, reason: mayEdit ? undefined : viewerNotice };
}

/** Call when the user is known: removes everything of any other user from this browser and from memory. */
function settle(client: QueryClient, user: User | null): void {
  if (switchUser(user?.id ?? null)) announceColorsRemoved();
  const before = client.getQueryData<User | null>(['current-user']);
  if (before === undefined || before?.id === user?.id) return;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'current-user' });
}

/** Removes everything of the signed-in user; the guard then shows the login page. */
export function clearUser(client: QueryClient): void {
  void client.cancelQueries();
  settle(client, null);
  client.setQueryData(currentUserQuery.queryKey, null);
}

/** Shows the pages of a user who has just signed in. */
export function useSignedIn() {
  const client = useQueryClient();
  return (user: User) => {
    settle(client, user);
    client.setQueryData(currentUserQuery.queryKey, user);
  };
}

export type Credentials = { email: string; password: string };

export function useLogin() {
  const signedIn = useSignedIn();
  return useMutation({
    mutationFn: (credentials: Credentials) => call(auth.login, { body: credentials }),
    onSuccess: signedIn,
  });
}

export function useRegister() {
  const signedIn = useSignedIn();
  return useMutation({
    mutationFn: (account: Credentials & { setupCode?: string }) => call(auth.register, { body: account }),
    onSuccess: signedIn,
  });
}

export function useLogout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const isAtProvider = client.getQueryData(currentUserQuery.queryKey)?.atProvider;
      if (!isAtProvider) return call(auth.logout, {});
      const { url } = await call(auth.logoutAtProvider, {});
      if (url !== null) window.location.assign(url);
    },
    onSuccess: () => clearUser(client),
  });
}
