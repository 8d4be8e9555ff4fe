import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { clearUser, currentUserQuery } from '#web/api/current-user.ts';
import { setupRequiredKey } from '#web/api/setup-required.ts';
import { ApiError, confirmIdentityWith } from '#web/lib/api-client.ts';
import { userIdKey } from '#web/lib/storage/user-storage.ts';
import { Toaster, toast } from '#web/ui/states/toast.tsx';

/**
 * A 401 on anything but a login means the session was ended or has expired. A 403 may ask for a second factor first.
 */
function noticeEndedSession(error: Error) {
  if (error instanceof ApiError && error.code === 'second_factor_setup_required')
    client.setQueryData(setupRequiredKey, true);
  if (!(error instanceof ApiError) || error.status !== 401 || error.code === 'invalid_credentials') return;
  if (!client.getQueryData(currentUserQuery.queryKey)) return;
  clearUser(client);
  toast({ title: 'Session ended', description: 'Please sign in again.' });
}

/** Client errors are final; network and server errors are retried once. */
const isWorthRetrying = (failures: number, error: Error) =>
  failures < 1 && !(error instanceof ApiError && error.status >= 400 && error.status < 500);

export const client = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndedSession }),
  mutationCache: new MutationCache({ onError: noticeEndedSession }),
  defaultOptions: { queries: { retry: isWorthRetrying, refetchOnWindowFocus: false, staleTime: 30_000 } },
});

confirmIdentityWith(async () =>
  (await import('#web/features/auth/fresh-sign-in/confirm-identity.tsx')).confirmIdentity(),
);

// Another tab signed in or out: stop showing the previous user.
addEventListener('storage', ({ key }) => {
  if (key === userIdKey) void client.invalidateQueries({ queryKey: currentUserQuery.queryKey });
});

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={client}>
      {children}
      <Toaster />
    </QueryClientProvider>
  );
}
