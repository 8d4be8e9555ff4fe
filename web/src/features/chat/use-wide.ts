import { useSyncExternalStore } from 'react';

const wide = matchMedia('(min-width: 1024px)');

function subscribe(listener: () => void) {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

const isWide = () => wide.matches;

/** Whether answers have room beside each other. */
export const useWide = (): boolean => useSyncExternalStore(subscribe, isWide, isWide);
