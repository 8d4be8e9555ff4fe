import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { LoginProviderOutcome } from './login-provider-outcome.ts';

/**
 * Shows the result of a login with Google or GitHub and removes it from the address. `failed` is the title of an error.
 */
export function useLoginProviderOutcome({ error, connected }: LoginProviderOutcome, failed: string): void {
  const router = useRouter();
  const isReported = useRef(false);
  useEffect(() => {
    if (error === undefined && connected === undefined) {
      isReported.current = false;
      return;
    }
    if (isReported.current) return;
    isReported.current = true;
    const { pathname, search } = router.history.location;
    const rest = new URLSearchParams(search);
    // If the parameters are gone, a guard is already navigating; do not undo that.
    if (rest.has('error') || rest.has('connected')) {
      rest.delete('error');
      rest.delete('connected');
      router.history.replace(rest.size > 0 ? `${pathname}?${rest}` : pathname);
    }
    // Loaded on demand: rarely needed, and the login page must load fast. Without it the page still says enough.
    import('./login-provider-outcome.ts')
      .then((part) => part.showLoginProviderOutcome({ error, connected }, failed))
      .catch(() => undefined);
  }, [router, error, connected, failed]);
}
