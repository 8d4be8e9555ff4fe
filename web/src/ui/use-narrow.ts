import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 767.98px)');

function subscribe(listener: () => void) {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Whether the window is under 768 px, where things stand below each other. For what CSS alone cannot rearrange. */
const isNarrow = () => narrow.matches;
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow, isNarrow);
