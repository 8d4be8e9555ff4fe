import { isObject, type JsonObject } from '#server/lib/is-object';
import type { ChatCall } from '#server/provider/chat-completions/tool-calls';
import { newItemId } from './items.ts';

/**
 * Data that a provider of Chat Completions wants back with its function calls. It goes to the client in the form of
 * encrypted reasoning, because clients send that back.
 */
type Echo = { message?: JsonObject | undefined; calls: { id: string; extra?: JsonObject | undefined }[] };

const seal = 'roster.';

/** Returns undefined if the provider wants nothing back. */
export function echoItem(message: JsonObject | undefined, calls: readonly ChatCall[]): JsonObject | undefined {
  if (calls.length === 0 || (!message && calls.every(({ extra }) => !extra))) return undefined;
  const echo: Echo = { message, calls: calls.map(({ callId: id, extra }) => ({ id, extra })) };
  const encrypted_content = seal + Buffer.from(JSON.stringify(echo)).toString('base64');
  return { id: newItemId('reasoning'), type: 'reasoning', status: 'completed', summary: [], encrypted_content };
}

export const isEchoItem = ({ type, encrypted_content: sealed }: JsonObject) =>
  type === 'reasoning' && typeof sealed === 'string' && sealed.startsWith(seal);

/** Content of such an item; empty if the item was altered. */
function echoIn({ encrypted_content: sealed }: JsonObject): JsonObject {
  try {
    const echo: unknown = JSON.parse(Buffer.from(String(sealed).slice(seal.length), 'base64').toString());
    return isObject(echo) ? echo : {};
  } catch {
    return {};
  }
}

/** By call id: extra fields of the call, and of the message that makes it. */
export function echoes(items: readonly JsonObject[]) {
  const ofCalls = new Map<string, { message: JsonObject; call: JsonObject }>();
  for (const item of items.filter(isEchoItem)) {
    const { message, calls } = echoIn(item);
    for (const call of Array.isArray(calls) ? calls : [])
      if (isObject(call) && typeof call.id === 'string')
        ofCalls.set(call.id, {
          message: isObject(message) ? message : {},
          call: isObject(call.extra) ? { extra_content: call.extra } : {},
        });
  }
  return ofCalls;
}
