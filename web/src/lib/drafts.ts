import { readTabValue, readValue, writeTabValue, writeValue } from './user-storage.ts';

const prefix = 'draft:';

/**
 * What this person typed and has not yet sent, kept in this browser until it is sent or the session ends: of this tab what was
 * typed in it, and the newest of all tabs for those in which nothing was.
 */
export const readDraft = (key: string): string => readTabValue(prefix + key) ?? readValue(prefix + key) ?? '';

/** An empty text removes the draft, but not what another tab has kept since. */
export function writeDraft(key: string, text: string): void {
  const name = prefix + key;
  const isOurs = readValue(name) === readTabValue(name) || readTabValue(name) === null;
  writeTabValue(name, text === '' ? null : text);
  if (text !== '') writeValue(name, text);
  else if (isOurs) writeValue(name, null);
}
