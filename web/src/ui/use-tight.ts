import { useSyncExternalStore } from 'react';

const tight = window.matchMedia('(max-width: 1279.98px)');

function subscribe(listener: () => void) {
  tight.addEventListener('change', listener);
  return () => tight.removeEventListener('change', listener);
}

/** Whether there is no room for all columns beside the sidebar. */
export const useTight = (): boolean => useSyncExternalStore(subscribe, () => tight.matches);
