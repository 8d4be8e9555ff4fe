import { useSyncExternalStore } from 'react';

/**
 * Code that a page can be used without at first. What the page does with it, it does once it is there: `use` says so to
 * whatever is drawn, so that nothing is taken off the page and drawn anew. Where it cannot be had, the page has failed.
 */
export function loadedModule<Module>(importIt: () => Promise<Module>) {
  let state: { module?: Module; error?: unknown } = {};
  let loading: Promise<Module> | undefined;
  const listeners = new Set<() => void>();
  const settle = (next: typeof state) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const load = (): Promise<Module> => {
    loading ??= importIt().then(
      (module) => {
        settle({ module });
        return module;
      },
      (error: unknown) => {
        settle({ error });
        throw error;
      },
    );
    return loading;
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };
  const now = () => state;
  function useModule(): Module | undefined {
    const { module, error } = useSyncExternalStore(subscribe, now, now);
    if (error !== undefined) throw error;
    return module;
  }
  return { load, use: useModule };
}
