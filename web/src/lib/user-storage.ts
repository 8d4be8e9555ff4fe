import { clearStored, readStored, writeStored } from './storage.ts';

/** The choice of the theme belongs to the browser, everything else here to a user. */
const retainedNames: readonly string[] = ['app-theme', 'app-theme-saved'];
/** Whose values there are. Other tabs hear of a change. */
export const userIdKey = 'app-user';

let owner: number | null = null;

/** Who is signed in here, as far as it is known. */
export const currentUserId = (): number | null => owner;

/** Whose values these are: of the one who is signed in, under their id. */
const nameOf = (name: string) => `user:${owner}:${name}`;

/** What was kept for the signed-in user; null where there is nothing, or no user. */
export function readUserValue(name: string): string | null {
  return owner === null ? null : readStored(nameOf(name));
}

/** The same of this tab alone; it outlives a reload, and goes with the tab. */
export function readUserTabValue(name: string): string | null {
  return owner === null ? null : readStored(nameOf(name), 'sessionStorage');
}

export function writeUserTabValue(name: string, value: string | null): void {
  if (owner !== null) writeStored(nameOf(name), value, 'sessionStorage');
}

/** Kept until it is taken back (null) or the session ends, however it ends. */
export function writeUserValue(name: string, value: string | null): void {
  if (owner !== null) writeStored(nameOf(name), value);
}

/**
 * To be called whenever it is learnt who is signed in (null: no user). What was kept for another user goes: they signed
 * out, or their session ended elsewhere, by its age or with the account. Returns whether anything may have gone.
 */
export function switchUser(userId: number | null): boolean {
  owner = userId;
  const mine = userId === null ? null : String(userId);
  if (mine !== null && readStored(userIdKey) === mine) return false;
  clearStored(retainedNames);
  if (mine !== null) writeStored(userIdKey, mine);
  return true;
}
