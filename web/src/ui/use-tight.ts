import { mediaStore, useStore } from '#web/lib/store.ts';

const tight = mediaStore('(max-width: 1279.98px)');

/** Whether there is no room for all columns beside the sidebar. */
export const useTight = (): boolean => useStore(tight);
