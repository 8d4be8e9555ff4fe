/** Where `theme.ts` keeps the saved colors for the next first paint. */
export const colorsKey = 'app-colors';

/** Whoever signs in next does not begin with another person's colors. The theme choice stays. */
export function forgetColors(): void {
  try {
    localStorage.removeItem(colorsKey);
  } catch {
    // Storage is refused, so nothing was kept.
  }
  // `theme.ts` comes after the first page and need not be here yet; it hears of this as of a change in another tab.
  window.dispatchEvent(new StorageEvent('storage', { key: colorsKey }));
}
