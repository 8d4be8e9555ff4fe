import { createStore, useStore } from './store.ts';

let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

const marked = createStore(false);
export const isAppReady = marked.get;

/** Loads something the first view does not need, once the page is usable. */
export const whenAppReady = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

/** For queries whose answers the first view does not need. */
export const useAppReady = (): boolean => useStore(marked);

/** The application is ready for input. Also a performance mark, visible in the browser's tools. */
export function markAppReady(): void {
  performance.mark('usable');
  marked.set(true);
  settle();
}
