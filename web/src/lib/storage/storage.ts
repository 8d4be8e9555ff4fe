/** Shared by all tabs, or of this tab only. */
type Place = 'localStorage' | 'sessionStorage';

/**
 * Reads from browser storage. If storage is blocked or full, nothing is stored and nothing fails. Everything except
 * what `user-storage.ts` keeps is removed when another user signs in.
 */
export function readStored(name: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** null removes the value. */
export function writeStored(name: string, value: string | null, place: Place = 'localStorage'): void {
  try {
    if (value === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, value);
  } catch {
    // Storage is blocked or full, see above.
  }
}

/** Parses stored JSON; null if there is none or it is invalid. */
export function readStoredJson(name: string): unknown {
  try {
    return JSON.parse(readStored(name) ?? 'null');
  } catch {
    return null;
  }
}

/** Removes everything except the named values, also of this tab. */
export function clearStored(staying: readonly string[]): void {
  try {
    for (const name of Object.keys(localStorage)) if (!staying.includes(name)) localStorage.removeItem(name);
    sessionStorage.clear();
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}
