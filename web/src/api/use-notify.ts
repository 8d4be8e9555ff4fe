import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { FinishedNotice } from './desktop-notifications.ts';

/** Notifies the user when something finishes while this tab is not in view, as their preferences say. */
export function useNotifyFinished(): (finished: FinishedNotice) => void {
  const client = useQueryClient();
  const router = useRouter();
  return useCallback(
    (finished) => {
      if (document.visibilityState !== 'hidden') return;
      import('./desktop-notifications.ts')
        .then(({ notifyOnDesktop }) => notifyOnDesktop(finished, client, (path) => router.history.push(path)))
        // Best effort: the page shows the result anyway.
        .catch(() => undefined);
    },
    [client, router],
  );
}
