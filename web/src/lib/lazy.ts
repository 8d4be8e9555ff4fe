import { type ComponentType, createElement, useEffect } from 'react';
import { afterContent } from './app-ready.ts';
import { createStore, useStore } from './store.ts';

type Loaded<Code> = { code?: Code; error?: unknown };

/**
 * Code that a page opens without. It is loaded once; `load` tries again after a failure. An action that needs code only
 * when it runs awaits `import()` itself, and reports a failure in its own words.
 */
function lazyCode<Code>(importCode: () => Promise<Code>) {
  const state = createStore<Loaded<Code>>({});
  let loading: Promise<Code> | undefined;

  async function loadNow() {
    try {
      const code = await importCode();
      // In a task of its own: running the code for the first time is one already.
      await new Promise((resolve) => setTimeout(resolve));
      state.set({ code });
      return code;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }
  const load = (): Promise<Code> => {
    loading ??= loadNow();
    return loading;
  };
  /** Starts loading. A failure is left to the first use. */
  const preload = (): void => void load().catch(() => undefined);

  function useCode(): Loaded<Code> {
    const loaded = useStore(state);
    useEffect(() => void load().catch((error: unknown) => state.set({ error })), []);
    return loaded;
  }
  return { load, preload, useCode };
}

/** `use` returns undefined until the code is there, and throws if it cannot be loaded. */
export function lazyModule<Module>(importModule: () => Promise<Module>) {
  const { load, preload, useCode } = lazyCode(importModule);
  function useModule(): Module | undefined {
    const loaded = useCode();
    if ('error' in loaded) throw loaded.error;
    return loaded.code;
  }
  return { load, preload, use: useModule };
}

const Nothing = () => null;

type Substitutes<Props> = {
  /** Drawn until the code is there; by default nothing. */
  pending?: ComponentType<Props>;
  /** Drawn if the code cannot be loaded; by default the page fails and offers to reload. */
  failed?: ComponentType<Props>;
};

/**
 * A component whose code is loaded when it is first drawn, or earlier with `load` or `preload`. Loaded code is drawn at
 * once; React's own `lazy` would show the fallback for some frames even then.
 */
export function lazyPart<Props extends object>(
  importPart: () => Promise<ComponentType<Props>>,
  { pending: Pending = Nothing, failed: Failed }: Substitutes<NoInfer<Props>> = {},
) {
  const { load, preload, useCode } = lazyCode(importPart);
  function Part(props: Props) {
    const loaded = useCode();
    if ('error' in loaded && !Failed) throw loaded.error;
    const Shown = loaded.code ?? (('error' in loaded && Failed) || Pending);
    return createElement(Shown, props);
  }
  return Object.assign(Part, { load, preload });
}

/** Preloads something the first view does not need. */
export const preloadOnceUsable = (load: () => Promise<unknown>): void => void afterContent(load).catch(() => undefined);
