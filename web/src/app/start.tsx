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

/** A shell stands in the page until everything is there that the first view of the application is made of. */
export async function start(root: HTMLElement): Promise<void> {
  // The server has said so already; asking again would only fill the browser's console.
  if (document.documentElement.dataset.visitor !== undefined) clearUser(client);
  // What cannot be learnt is dealt with by the application itself.
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

/** As the guards do, but before anything is drawn. */
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

/** After everything else in the tree, so that its parts are there. */
function Started({ input }: { input: PreHydrationInput }) {
  const [restored, setRestored] = useState(false);
  // Drawn last, so that the application takes the shell's place in the same turn: within no word and no press.
  const free = restored ? undefined : whenInputIdle();
  if (free) use(free);
  useLayoutEffect(() => {
    input.restore();
    setRestored(true);
  }, [input]);
  // A turn later, when components that keep the text of a field in their state have it there.
  useEffect(() => {
    if (!restored) return;
    input.press();
    markAppReady();
  }, [input, restored]);
  return null;
}
