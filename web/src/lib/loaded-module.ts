import { createStore, useStore } from './store.ts';

/**
 * Code that a page can be used without at first. What the page does with it, it does once it is there: `use` says so to
 * whatever is drawn, so that nothing is taken off the page and drawn anew. Where it cannot be had, the page has failed.
 */
export function loadedModule<Module>(importIt: () => Promise<Module>) {
  const state = createStore<{ module?: Module; error?: unknown }>({});
  let loading: Promise<Module> | undefined;
  const load = (): Promise<Module> => {
    loading ??= importIt().then(
      (module) => {
        state.set({ module });
        return module;
      },
      (error: unknown) => {
        state.set({ error });
        throw error;
      },
    );
    return loading;
  };
  function useModule(): Module | undefined {
    const { module, error } = useStore(state);
    if (error !== undefined) throw error;
    return module;
  }
  return { load, use: useModule };
}
