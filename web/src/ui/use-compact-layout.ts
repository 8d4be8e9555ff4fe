import { mediaQueryStore, useStore } from '#web/lib/store.ts';

const tight = mediaQueryStore('(max-width: 1279.98px)');

/** True if there is not enough room for all columns beside the sidebar. */
export const useCompactLayout = (): boolean => useStore(tight);
