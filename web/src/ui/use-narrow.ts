import { mediaQueryStore, useStore } from '#web/lib/store.ts';

const narrow = mediaQueryStore('(max-width: 767.98px)');

/** True below 768 px. For layout that CSS alone cannot do. */
export const useNarrow = (): boolean => useStore(narrow);
