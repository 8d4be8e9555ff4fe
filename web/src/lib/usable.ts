let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

/** Loads what a page can do without while it is being opened, once it can be used. */
export const afterUsable = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

let isMarked = false;
export const isUsable = (): boolean => isMarked;

/** The application stands: what is typed and pressed counts from here on. Measured by name, in the browser's tools too. */
export function markUsable(): void {
  isMarked = true;
  performance.mark('usable');
  settle();
}
