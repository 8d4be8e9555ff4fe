import { mediaQueryStore, useStore } from '#web/lib/store.ts';

const wide = mediaQueryStore('(min-width: 1024px)');

/** True if there is room for parallel answers side by side. */
export const useWide = (): boolean => useStore(wide);
