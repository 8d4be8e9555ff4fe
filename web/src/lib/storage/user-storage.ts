import { clearStored, readStored, writeStored } from './storage.ts';

/** Kept when users change: the theme belongs to the browser, everything else to a user. */
const retainedNames: readonly string[] = ['app-theme', 'app-theme-saved'];
/** Id of the user that stored values belong to. Other tabs are notified of changes. */
export const userIdKey = 'app-user';

let owner: number | null = null;

/** Id of the signed-in user, as far as known. */
export const currentUserId = (): number | null => owner;

/** Prefixes a name with the signed-in user's id. */
const nameOf = (name: string) => `user:${owner}:${name}`;

/** A value stored for the signed-in user; null if there is none, or no user. */
export function readUserValue(name: string): string | null {
  return owner === null ? null : readStored(nameOf(name));
}

/** The same for this tab only; survives a reload and is removed when the tab closes. */
export function readUserTabValue(name: string): string | null {
  return owner === null ? null : readStored(nameOf(name), 'sessionStorage');
}

export function writeUserTabValue(name: string, value: string | null): void {
  if (owner !== null) writeStored(nameOf(name), value, 'sessionStorage');
}

/** Stored until set to null or until the session ends, however it ends. */
export function writeUserValue(name: string, value: string | null): void {
  if (owner !== null) writeStored(nameOf(name), value);
}

/**
 * Call whenever the signed-in user becomes known (null: none). Removes another user's values, after a sign-out, an
 * expired session or a deleted account. Returns true if any may have been removed.
 */
export function switchUser(userId: number | null): boolean {
  owner = userId;
  const mine = userId === null ? null : String(userId);
  if (mine !== null && readStored(userIdKey) === mine) return false;
  clearStored(retainedNames);
  if (mine !== null) writeStored(userIdKey, mine);
  return true;
}
