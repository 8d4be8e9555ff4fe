let settle: () => void = () => undefined;
const usable = new Promise<void>((resolve) => {
  settle = resolve;
});

/** Loads what a page can do without while it is being opened, once it can be used. */
export const afterUsable = <Part>(load: () => Promise<Part>): Promise<Part> => usable.then(load);

/** The application stands: what is typed and pressed counts from here on. Measured by name, in the browser's tools too. */
export function markUsable(): void {
  performance.mark('usable');
  settle();
}
