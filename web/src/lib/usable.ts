import { useSyncExternalStore } from 'react';

let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

let isMarked = false;
export const isUsable = (): boolean => isMarked;

/** Loads what a page can do without while it is being opened, once it can be used. */
export const afterUsable = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

function subscribe(listener: () => void) {
  let isHere = true;
  void usable.then(() => isHere && listener());
  return () => {
    isHere = false;
  };
}

/** For calls whose answers a page can do without while it is being opened. */
export const useUsable = (): boolean => useSyncExternalStore(subscribe, isUsable, isUsable);

/** The application stands: what is typed and pressed counts from here on. Measured by name, in the browser's tools too. */
export function markUsable(): void {
  isMarked = true;
  performance.mark('usable');
  settle();
}
