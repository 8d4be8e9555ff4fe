import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { currentUserQuery, UserProvider } from '#web/api/current-user.ts';
import { setupRequiredKey } from '#web/api/setup-required.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { safeReturnPath } from './return-path.ts';

/** Shows a spinner until the user is known and an error panel if that fails, then `user` or `visitor`. */
export function WithCurrentUser({ visitor, user }: { visitor: ReactNode; user: ReactNode }) {
  const query = useQuery(currentUserQuery);
  // Remount for another user, so that no state carries over, not even text in a field.
  if (query.data)
    return (
      <UserProvider key={query.data.id} value={query.data}>
        {user}
      </UserProvider>
    );
  if (query.data === null) return visitor;
  if (query.isError && !query.isFetching) {
    return (
      <main className="mx-auto max-w-lg px-4 pt-24">
        <h1 className="sr-only">Roster</h1>
        <ErrorState
          title="Roster could not be loaded"
          message={errorText(query.error)}
          onRetry={() => void query.refetch()}
        />
      </main>
    );
  }
  return <SpinnerPanel label="Loading your account" className="min-h-dvh" />;
}

/** Sends visitors to the login page, which returns them afterwards. */
export function SignedInOnly({ children }: { children: ReactNode }) {
  return <WithCurrentUser user={<OnceSetUp>{children}</OnceSetUp>} visitor={<RedirectToLogin />} />;
}

const RequiredSetupPage = lazyPart(
  async () => (await import('#web/features/account/required-setup-page.tsx')).RequiredSetupPage,
);

/** An administrator may require a second factor: until then every other call is refused. */
function OnceSetUp({ children }: { children: ReactNode }) {
  const { data: isRequired } = useQuery({ queryKey: setupRequiredKey, queryFn: () => false, enabled: false });
  return isRequired ? <RequiredSetupPage /> : children;
}

/** Sends signed-in users home, or to the page they came for. */
export function VisitorsOnly({ returnPath, children }: { returnPath: string | undefined; children: ReactNode }) {
  return <WithCurrentUser user={<RedirectToReturnPath path={returnPath} />} visitor={children} />;
}

// Both navigate once, on mount: the address changes while they are still mounted and must not be followed again.

function RedirectToLogin() {
  const router = useRouter();
  useEffect(() => {
    const { pathname, href } = router.latestLocation;
    // Signing out already navigates there, without a return path.
    if (pathname === '/auth') return;
    void router.navigate({ to: '/auth', search: href === '/' ? {} : { redirect: href }, replace: true });
  }, [router]);
  return <SpinnerPanel label="Going to the sign-in page" className="min-h-dvh" />;
}

function RedirectToReturnPath({ path }: { path: string | undefined }) {
  const router = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path goes from the address with the first step.
  useEffect(() => {
    router.history.replace(safeReturnPath(path));
  }, [router]);
  return <SpinnerPanel label="Loading" className="min-h-dvh" />;
}
