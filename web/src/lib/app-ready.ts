import { createStore, useStore } from './store.ts';

let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

const marked = createStore(false);
export const isAppReady = marked.get;

/** Loads something the first view does not need, once the page is usable. */
export const whenAppReady = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

let reading: Promise<unknown> = Promise.resolve();

/** Loads what the page was opened for, once it is usable. On a slow line, `afterContent` waits for it. */
export function loadContent<Part>(load: () => Promise<Part>): Promise<Part> {
  const loading = whenAppReady(load);
  reading = loading.catch(() => undefined);
  return loading;
}

/** Loads something that nobody waits for yet, once the page shows what it was opened for. */
export const afterContent = <Part>(load: () => Promise<Part>): Promise<Part> => whenAppReady(() => reading.then(load));

/** For queries whose answers the first view does not need. */
export const useAppReady = (): boolean => useStore(marked);

/** The application is ready for input. Also a performance mark, visible in the browser's tools. */
export function markAppReady(): void {
  performance.mark('usable');
  marked.set(true);
  settle();
}
