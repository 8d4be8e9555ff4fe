import { type ComponentType, lazy, useState } from 'react';

/**
 * A part whose code is loaded when it is first shown, or before, with `load`. Once it is there it is drawn at once:
 * React's own `lazy` waits a turn even for what has been loaded, and shows what stands in for it meanwhile.
 */
export function loadedPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    loaded ??= await load();
    return loaded;
  };
  const Awaited = lazy(async () => ({ default: await loadOnce() }));
  function Part(props: Props) {
    // Chosen once: another kind of part in its place would begin anew.
    const [Chosen] = useState<ComponentType<Props>>(() => loaded ?? Awaited);
    return <Chosen {...props} />;
  }
  return Object.assign(Part, { load: loadOnce });
}
