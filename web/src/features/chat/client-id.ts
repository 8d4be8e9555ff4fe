import { newClientId } from '#web/lib/client-id.ts';
import { readDraft, writeDraft } from '#web/lib/drafts.ts';

const keyOf = (place: string) => `${place}:sending`;
const length = 32;

/**
 * The client id for a text at a place: the same one until the server has confirmed it, also after a reload. So a message
 * whose confirmation was lost on the way is not sent twice.
 */
export function clientIdFor(place: string, text: string): string {
  const kept = readDraft(keyOf(place));
  if (kept.slice(length) === text) return kept.slice(0, length);
  const id = newClientId();
  writeDraft(keyOf(place), id + text);
  return id;
}

export const confirmSent = (place: string): void => writeDraft(keyOf(place), '');
