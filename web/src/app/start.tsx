import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition, use, useEffect, useLayoutEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { clearUser, currentUserQuery } from '#web/api/current-user.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { markAppReady } from '#web/lib/app-ready.ts';
import { capturePreHydrationInput, type PreHydrationInput, whenInputIdle } from './pre-hydration-input.ts';
import { client, Providers } from './providers.tsx';
import { safeReturnPath } from './return-path.ts';
import { router } from './router.tsx';

/** Replaces the prerendered page once everything for the first view has loaded. */
export async function start(root: HTMLElement): Promise<void> {
  // The server has already said so; asking again would only log a 401 in the console.
  if (document.documentElement.dataset.visitor !== undefined) clearUser(client);
  // Failures are handled by the application itself.
  await Promise.all([router.load(), client.prefetchQuery(currentUserQuery), client.prefetchQuery(signInOptionsQuery)]);
  await redirectBySession();
  const input = capturePreHydrationInput(root);
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Providers>
          <RouterProvider router={router} />
        </Providers>
        <Started input={input} />
      </StrictMode>,
    ),
  );
}

/** Same redirects as the guards, but before the first render. */
async function redirectBySession() {
  const user = client.getQueryData(currentUserQuery.queryKey);
  const { pathname, href, search } = router.latestLocation;
  const needsUser = router.state.matches.some(({ routeId }) => routeId === '/signed-in');
  if (user === null && needsUser) {
    const to = router.buildLocation({ to: '/auth', search: href === '/' ? {} : { redirect: href } });
    router.history.replace(to.href);
  } else if (user && pathname === '/auth') {
    router.history.replace(safeReturnPath('redirect' in search ? search.redirect : undefined));
  } else return;
  await router.load();
}

/** Rendered last in the tree, so that all other parts are mounted. */
function Started({ input }: { input: PreHydrationInput }) {
  const [restored, setRestored] = useState(false);
  // Suspends until no composition or press is in progress; the application then replaces the prerendered page in the
  // same task.
  const free = restored ? undefined : whenInputIdle();
  if (free) use(free);
  useLayoutEffect(() => {
    input.restore();
    setRestored(true);
  }, [input]);
  // One render later, when components that hold field text in state have it.
  useEffect(() => {
    if (!restored) return;
    input.press();
    markAppReady();
  }, [input, restored]);
  return null;
}
