/** Of all tabs, or of this one. */
type Place = 'localStorage' | 'sessionStorage';

/**
 * What this browser keeps. Where storage is refused or full nothing is kept and nothing fails: what was to be kept holds
 * until the page is left. All but `browser-values.ts` leaves alone goes when another user signs in.
 */
export function readStored(name: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** null takes it back. */
export function writeStored(name: string, value: string | null, place: Place = 'localStorage'): void {
  try {
    if (value === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, value);
  } catch {
    // As said above.
  }
}

/** What `JSON.stringify` made of it; null where there is nothing, or something else. */
export function readStoredJson(name: string): unknown {
  try {
    return JSON.parse(readStored(name) ?? 'null');
  } catch {
    return null;
  }
}

/** Forgets everything, in this tab too, but what is named. */
export function clearStored(staying: readonly string[]): void {
  try {
    for (const name of Object.keys(localStorage)) if (!staying.includes(name)) localStorage.removeItem(name);
    sessionStorage.clear();
  } catch {
    // Storage is refused, so nothing was kept.
  }
}
