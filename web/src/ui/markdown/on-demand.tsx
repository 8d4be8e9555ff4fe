import { type ComponentType, useEffect } from 'react';
import { createStore, useStore } from '#web/lib/store.ts';

type OnDemand<Props extends object> = ComponentType<Props> & {
  /** Loads the code ahead of its first use. */
  preload: () => Promise<void>;
};

const Nothing = () => null;

/**
 * A part whose code is loaded when it is first shown. Once it is there it is drawn at once, wherever it is: `React.lazy`
 * would show what stands for it for some frames even then. Where the code cannot be loaded (offline, or Roster was
 * updated meanwhile) the plain form takes its place, so that the text is always there; until then `pending`
 * does.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  plain: ComponentType<Props>,
  pending: ComponentType<Props> = Nothing,
): OnDemand<Props> {
  const part = createStore<ComponentType<Props> | null>(null);
  let loading: Promise<void> | undefined;
  const preload = () => {
    loading ??= load()
      .catch(() => plain)
      // Drawn in a task of its own: running the code for the first time is one already.
      .then((loaded) => new Promise((resolve) => setTimeout(() => resolve(part.set(loaded)))));
    return loading;
  };
  function Part(props: Props) {
    const Shown = useStore(part) ?? pending;
    useEffect(() => void preload(), []);
    return <Shown {...props} />;
  }
  return Object.assign(Part, { preload });
}
