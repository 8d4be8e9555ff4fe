import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { FinishedNotice } from './desktop-notifications.ts';

/** Notifies a user who is not looking at this tab that something has finished, as their preferences say. */
export function useNotifyFinished(): (finished: FinishedNotice) => void {
  const client = useQueryClient();
  const router = useRouter();
  return useCallback(
    (finished) => {
      if (document.visibilityState !== 'hidden') return;
      import('./desktop-notifications.ts')
        .then(({ notifyOnDesktop }) => notifyOnDesktop(finished, client, (path) => router.history.push(path)))
        // A courtesy: where the network or the browser stands in its way, the page itself shows the end all the same.
        .catch(() => undefined);
    },
    [client, router],
  );
}
