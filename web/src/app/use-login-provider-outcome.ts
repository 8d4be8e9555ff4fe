import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { LoginProviderOutcome } from './login-provider-outcome.ts';

/** Says how a visit to Google or GitHub ended, with `failed` as the title of a failure, and takes it out of the address. */
export function useLoginProviderOutcome({ error, connected }: LoginProviderOutcome, failed: string): void {
  const router = useRouter();
  const isTold = useRef(false);
  useEffect(() => {
    if (error === undefined && connected === undefined) {
      isTold.current = false;
      return;
    }
    if (isTold.current) return;
    isTold.current = true;
    const { pathname, search } = router.history.location;
    const rest = new URLSearchParams(search);
    // Not there any more: a guard is already leading elsewhere, which must not be undone.
    if (rest.has('error') || rest.has('connected')) {
      rest.delete('error');
      rest.delete('connected');
      router.history.replace(rest.size > 0 ? `${pathname}?${rest}` : pathname);
    }
    // Its texts are rarely needed, and the sign-in page is a first visit's. Without them the page still says enough.
    import('./login-provider-outcome.ts')
      .then((part) => part.showLoginProviderOutcome({ error, connected }, failed))
      .catch(() => undefined);
  }, [router, error, connected, failed]);
}
