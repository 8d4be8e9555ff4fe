import { whenAppReady } from './app-ready.ts';

type Load = () => Promise<unknown>;

/**
 * Begins to load what will be needed. A failure is no harm here: whoever needs it loads it then, and says what is wrong.
 */
export const preload = (load: Load): void => void load().catch(() => undefined);

/** The same for what a page can do without while it is being opened. */
export const preloadOnceUsable = (load: Load): void => preload(() => whenAppReady(load));
