import { auth, type User } from '@roster/contracts/auth';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, call } from '#web/lib/api.ts';
import { clearDrafts } from '#web/lib/drafts.ts';
import { forgetColors } from '#web/lib/forget-colors.ts';

/** Who is signed in; null for a visitor. A 401 here is an answer, not an error. */
export const currentUserQuery = queryOptions({
  queryKey: ['current-user'],
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return await call(auth.currentUser, {}, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
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
export const viewerReason = 'Your role is Viewer: you can chat, but an Editor or Admin makes changes here.';

/** Whether the signed-in user may change assistants, files and jobs; else the reason why not. */
export function useEditing(): { mayEdit: boolean; reason: string | undefined } {
  const mayEdit = useUser().role !== 'Viewer';
  return { mayEdit, reason: mayEdit ? undefined : viewerReason };
}

/** Forgets everything of the one who was signed in; the guard then leads to the sign-in page. */
export function forgetUser(client: QueryClient): void {
  clearDrafts();
  forgetColors();
  client.cancelQueries().catch(() => undefined);
  client.setQueryData(currentUserQuery.queryKey, null);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== currentUserQuery.queryKey[0] });
}

function useSignedIn() {
  const client = useQueryClient();
  return (user: User) => {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== currentUserQuery.queryKey[0] });
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
    onSuccess: () => forgetUser(client),
  });
}
