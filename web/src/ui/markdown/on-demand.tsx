import { type ComponentType, useEffect, useSyncExternalStore } from 'react';

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
  let part: ComponentType<Props> | null = null;
  let loading: Promise<void> | undefined;
  const waiting = new Set<() => void>();
  const stand = (loaded: ComponentType<Props>) => {
    part = loaded;
    for (const listener of waiting) listener();
  };
  const preload = () => {
    loading ??= load()
      .catch(() => plain)
      // Drawn in a task of its own: running the code for the first time is one already.
      .then((loaded) => new Promise((resolve) => setTimeout(() => resolve(stand(loaded)))));
    return loading;
  };
  const subscribe = (listener: () => void) => {
    waiting.add(listener);
    return () => {
      waiting.delete(listener);
    };
  };
  const now = () => part;
  function Part(props: Props) {
    const Shown = useSyncExternalStore(subscribe, now, now) ?? pending;
    useEffect(() => void preload(), []);
    return <Shown {...props} />;
  }
  return Object.assign(Part, { preload });
}
