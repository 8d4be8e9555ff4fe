import { newClientId } from '#web/lib/client-id.ts';
import { readDraft, writeDraft } from '#web/lib/storage/drafts.ts';

const keyOf = (place: string) => `${place}:sending`;

type Parent = number | null | undefined;

function parse(kept: string): { clientId: string; parentId: Parent; text: string } | null {
  const match = /^([0-9a-f]{32})(end|null|\d+):([\s\S]*)$/.exec(kept);
  if (!match) return null;
  const [, clientId = '', parent, text = ''] = match;
  return { clientId, parentId: parent === 'end' ? undefined : parent === 'null' ? null : Number(parent), text };
}

/**
 * Returns the client id and parent of a message: the same until the server has confirmed it, also after a reload. So a
 * message whose confirmation was lost is not sent twice, although its answer is the head by then.
 */
export function sendingOf(place: string, text: string, parentId: Parent): { clientId: string; parentId: Parent } {
  const kept = parse(readDraft(keyOf(place)));
  if (kept?.text === text) return kept;
  const clientId = newClientId();
  writeDraft(keyOf(place), `${clientId}${parentId === undefined ? 'end' : String(parentId)}:${text}`);
  return { clientId, parentId };
}

/** Call when the server has accepted or refused: the same text is a new message from then on. */
export const forgetSending = (place: string): void => writeDraft(keyOf(place), '');
