import { useSyncExternalStore } from 'react';

/** A value beside React's own state, for what several parts of the page share or what changes outside of them. */
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

/** The store's value; what draws it is drawn again when it changes. */
export const useStore = <Value>({ get, subscribe }: ReadableStore<Value>): Value =>
  useSyncExternalStore(subscribe, get, get);

/** Whether the window is as a media query says. For what CSS alone cannot rearrange. */
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
