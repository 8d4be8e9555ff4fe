/** Where `theme.ts` keeps the saved colors for the next first paint. */
export const colorsKey = 'app-colors';

/** The next user does not go on with another user's colors, which have gone from this browser. */
export function announceColorsRemoved(): void {
  // `theme.ts` comes after the first page and need not be here yet; it hears of this as of a change in another tab.
  window.dispatchEvent(new StorageEvent('storage', { key: colorsKey }));
}
