import { isObject, type JsonObject } from '#server/lib/is-object';
import type { ChatCall } from '#server/provider/chat-completions/tool-calls';
import { newItemId } from './items.ts';

/**
 * What a provider of Chat Completions wants back with the calls of its functions. It goes to the program as a sealed thought does,
 * because that is what programs send back.
 */
type Echo = { message?: JsonObject | undefined; calls: { id: string; extra?: JsonObject | undefined }[] };

const seal = 'roster.';

/** undefined: the provider wants nothing back. */
export function echoItem(message: JsonObject | undefined, calls: readonly ChatCall[]): JsonObject | undefined {
  if (calls.length === 0 || (!message && calls.every(({ extra }) => !extra))) return undefined;
  const echo: Echo = { message, calls: calls.map(({ callId: id, extra }) => ({ id, extra })) };
  const encrypted_content = seal + Buffer.from(JSON.stringify(echo)).toString('base64');
  return { id: newItemId('reasoning'), type: 'reasoning', status: 'completed', summary: [], encrypted_content };
}

export const isEchoItem = ({ type, encrypted_content: sealed }: JsonObject) =>
  type === 'reasoning' && typeof sealed === 'string' && sealed.startsWith(seal);

/** What such an item holds; nothing where it was changed. */
function echoIn({ encrypted_content: sealed }: JsonObject): JsonObject {
  try {
    const echo: unknown = JSON.parse(Buffer.from(String(sealed).slice(seal.length), 'base64').toString());
    return isObject(echo) ? echo : {};
  } catch {
    return {};
  }
}

/** By the ids of calls: fields of the call itself, and of the message that makes it. */
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
