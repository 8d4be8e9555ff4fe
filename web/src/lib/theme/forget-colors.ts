/** `theme.ts` stores the saved colors here for the next first paint. */
export const colorsKey = 'app-colors';

/** Removes a user's colors, so that the next user does not inherit them. */
export function announceColorsRemoved(): void {
  // `theme.ts` loads after the first page and may not be there yet; it treats this as a change in another tab.
  window.dispatchEvent(new StorageEvent('storage', { key: colorsKey }));
}
