import { auth, type User } from '@roster/contracts/auth';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, call } from '#web/lib/api-client.ts';
import { announceColorsRemoved } from '#web/lib/forget-colors.ts';
import { switchUser } from '#web/lib/user-storage.ts';

/** Who is signed in; null for a visitor. A 401 here is an answer, not an error. */
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

/** Given by the guard around everything that needs a signed-in user. */
export const UserProvider = UserContext.Provider;

/** The signed-in user. */
export function useUser(): User {
  const user = useContext(UserContext);
  if (!user) throw new Error('useUser is used outside the signed-in part of the application');
  return user;
}

/** A Viewer chats, and changes no assistants, files or jobs; this is what to say beside what is disabled. */
export const viewerNotice = 'Your role is Viewer: you can chat, but an Editor or Admin makes changes here.';

/** Whether the signed-in user may change assistants, files and jobs; else the reason why not. */
export function useEditAccess(): { mayEdit: boolean; reason: string | undefined } {
  const mayEdit = useUser().role !== 'Viewer';
  return { mayEdit, reason: mayEdit ? undefined : viewerNotice };
}

/** Now it is known who is here: nothing of anybody else stays, neither in this browser nor in memory. */
function settle(client: QueryClient, user: User | null): void {
  if (switchUser(user?.id ?? null)) announceColorsRemoved();
  const before = client.getQueryData<User | null>(['current-user']);
  if (before === undefined || before?.id === user?.id) return;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'current-user' });
}

/** Forgets everything of the one who was signed in; the guard then leads to the sign-in page. */
export function clearUser(client: QueryClient): void {
  void client.cancelQueries();
  settle(client, null);
  client.setQueryData(currentUserQuery.queryKey, null);
}

function useSignedIn() {
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
    mutationFn: () => call(auth.logout, {}),
    onSuccess: () => clearUser(client),
  });
}
