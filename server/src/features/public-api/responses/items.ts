import { randomBytes } from 'node:crypto';
import type { ResponseItem } from '@roster/contracts/public-api/responses';
import { isObject, type JsonObject } from '#server/lib/is-object';

/** A stored item, with an id by which clients can refer to it. */
export type StoredItem = JsonObject & { id: string; type: string };

const prefixes = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['reasoning', 'rs'],
  ['image_generation_call', 'ig'],
]);

export const newItemId = (type: string) => `${prefixes.get(type) ?? 'item'}_${randomBytes(24).toString('hex')}`;

/** Without a type, an item is a message if it has a role, else a reference. */
export const typeOf = ({ type, role }: ResponseItem): string =>
  type ?? (role === undefined ? 'item_reference' : 'message');

/** Content of a message, as a list of parts. */
function partsOf(role: unknown, content: unknown): unknown {
  const isAnswer = role === 'assistant';
  if (typeof content === 'string') return [isAnswer ? outputText(content) : { type: 'input_text', text: content }];
  if (!isAnswer || !Array.isArray(content)) return content;
  return content.map((part) =>
    isObject(part) && part.type === 'output_text' ? { annotations: [], logprobs: [], ...part } : part,
  );
}

const outputText = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const withStatus = new Set(['message', 'function_call', 'function_call_output']);

/** An input item in its long form, as the provider stores it. */
export function toStoredItem(item: ResponseItem): StoredItem {
  const type = typeOf(item);
  const id = typeof item.id === 'string' && item.id !== '' ? item.id : newItemId(type);
  return {
    ...(withStatus.has(type) && { status: 'completed' }),
    ...item,
    id,
    type,
    ...(type === 'message' && { content: partsOf(item.role, item.content) }),
  };
}

/** An output item, with an id if the provider gave none. */
export function toOutputItem(value: unknown): StoredItem | undefined {
  if (!isObject(value) || typeof value.type !== 'string') return undefined;
  const id = typeof value.id === 'string' && value.id !== '' ? value.id : newItemId(value.type);
  return { ...value, id, type: value.type };
}

/**
 * An item of an earlier response, as the provider is to read it. The provider has stored nothing, so its own ids mean
 * nothing to it, and reasoning is readable only if it came along encrypted.
 */
export function toInputItems(item: StoredItem): JsonObject[] {
  if (item.type === 'reasoning') {
    if (typeof item.encrypted_content !== 'string') return [];
    const { status: _, ...thought } = item;
    return [thought];
  }
  if (item.type !== 'message' && item.type !== 'function_call' && item.type !== 'function_call_output') return [item];
  const { id: _, status: __, ...rest } = item;
  return [rest];
}
