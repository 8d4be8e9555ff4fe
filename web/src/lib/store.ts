import { useSyncExternalStore } from 'react';

/** A value outside React's state, for what several parts of the page share or what changes elsewhere. */
export type Store<Value> = ReadableStore<Value> & { set: (next: Value) => void };

type ReadableStore<Value> = {
  get: () => Value;
  /** Calls the listener after each change until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
};

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Returns the store's value and rerenders on changes. */
export const useStore = <Value>({ get, subscribe }: ReadableStore<Value>): Value =>
  useSyncExternalStore(subscribe, get, get);

/** True while a media query matches. For layout that CSS alone cannot do. */
export function mediaQueryStore(query: string): ReadableStore<boolean> {
  const media = matchMedia(query);
  return {
    get: () => media.matches,
    subscribe(listener) {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
  };
}
