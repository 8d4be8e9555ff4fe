import { useSyncExternalStore } from 'react';

const tight = matchMedia('(max-width: 1279.98px)');

function subscribe(listener: () => void) {
  tight.addEventListener('change', listener);
  return () => tight.removeEventListener('change', listener);
}

/** Whether there is no room for all columns beside the sidebar. */
const isTight = () => tight.matches;
export const useTight = (): boolean => useSyncExternalStore(subscribe, isTight, isTight);
