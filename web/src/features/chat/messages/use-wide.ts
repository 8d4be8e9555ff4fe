import { mediaQueryStore, useStore } from '#web/lib/store.ts';

const wide = mediaQueryStore('(min-width: 1024px)');

/** Whether answers have room beside each other. */
export const useWide = (): boolean => useStore(wide);
