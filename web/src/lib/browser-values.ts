/** The choice of the theme is the browser's, whoever uses it; everything else here is a person's. */
const staying: readonly string[] = ['app-theme', 'app-theme-saved'];
/** Whose values there are. Other tabs hear of a change. */
export const ownerKey = 'app-user';

let owner: number | null = null;

/** Who is signed in, as far as it is known; null: nobody. */
export const ownerOfValues = (): number | null => owner;

/** Whose values these are: of the one who is signed in, under their id. */
const nameOf = (name: string) => `user:${owner}:${name}`;

/** What was kept for the one who is signed in; null where there is nothing, or nobody. */
export function readValue(name: string): string | null {
  if (owner === null) return null;
  try {
    return localStorage.getItem(nameOf(name));
  } catch {
    return null;
  }
}

/** Kept until it is taken back (null) or the session ends, however it ends. */
export function writeValue(name: string, value: string | null): void {
  if (owner === null) return;
  try {
    if (value === null) localStorage.removeItem(nameOf(name));
    else localStorage.setItem(nameOf(name), value);
  } catch {
    // Storage is full or refused: the value holds until the page is left.
  }
}

/**
 * To be called whenever it is learnt who is signed in (null: nobody). What was kept for anybody else goes: they signed
 * out, or their session ended elsewhere, by its age or with the account. Returns whether anything may have gone.
 */
export function keepValuesOf(userId: number | null): boolean {
  owner = userId;
  try {
    const mine = userId === null ? null : String(userId);
    const isSame = mine !== null && localStorage.getItem(ownerKey) === mine;
    if (!isSame) {
      for (const name of Object.keys(localStorage)) if (!staying.includes(name)) localStorage.removeItem(name);
      sessionStorage.clear();
      if (mine !== null) localStorage.setItem(ownerKey, mine);
    }
    return !isSame;
  } catch {
    // Storage is refused, so nothing was kept.
    return true;
  }
}
