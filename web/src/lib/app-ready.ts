import { createStore, useStore } from './store.ts';

let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

const marked = createStore(false);
export const isAppReady = marked.get;

/** Loads what a page can do without while it is being opened, once it can be used. */
export const whenAppReady = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

/** For calls whose answers a page can do without while it is being opened. */
export const useAppReady = (): boolean => useStore(marked);

/** The application stands: what is typed and pressed counts from here on. Measured by name, in the browser's tools too. */
export function markAppReady(): void {
  performance.mark('usable');
  marked.set(true);
  settle();
}
