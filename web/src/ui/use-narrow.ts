import { mediaQueryStore, useStore } from '#web/lib/store.ts';

const narrow = mediaQueryStore('(max-width: 767.98px)');

/** Whether the window is under 768 px, where things stand below each other. For what CSS alone cannot rearrange. */
export const useNarrow = (): boolean => useStore(narrow);
