import { mediaStore, useStore } from '#web/lib/store.ts';

const wide = mediaStore('(min-width: 1024px)');

/** Whether answers have room beside each other. */
export const useWide = (): boolean => useStore(wide);
