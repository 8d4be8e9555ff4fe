import { readUserTabValue, readUserValue, writeUserTabValue, writeUserValue } from './user-storage.ts';

const prefix = 'draft:';

/**
 * What this person typed and has not yet sent, kept in this browser until it is sent or the session ends: of this tab what was
 * typed in it, and the newest of all tabs for those in which nothing was.
 */
export const readDraft = (key: string): string => readUserTabValue(prefix + key) ?? readUserValue(prefix + key) ?? '';

/** An empty text removes the draft, but not what another tab has kept since. */
export function writeDraft(key: string, text: string): void {
  const name = prefix + key;
  const isOurs = readUserValue(name) === readUserTabValue(name) || readUserTabValue(name) === null;
  writeUserTabValue(name, text === '' ? null : text);
  if (text !== '') writeUserValue(name, text);
  else if (isOurs) writeUserValue(name, null);
}
