import { readUserTabValue, readUserValue, writeUserTabValue, writeUserValue } from './user-storage.ts';

const prefix = 'draft:';

/**
 * Unsent text of this user, kept in this browser until it is sent or the session ends. A tab reads its own draft first,
 * then the newest of all tabs.
 */
export const readDraft = (key: string): string => readUserTabValue(prefix + key) ?? readUserValue(prefix + key) ?? '';

/** Empty text removes the draft, but not a newer one of another tab. */
export function writeDraft(key: string, text: string): void {
  const name = prefix + key;
  const isOurs = readUserValue(name) === readUserTabValue(name) || readUserTabValue(name) === null;
  writeUserTabValue(name, text === '' ? null : text);
  if (text !== '') writeUserValue(name, text);
  else if (isOurs) writeUserValue(name, null);
}
