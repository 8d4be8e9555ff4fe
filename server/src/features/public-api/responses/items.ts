import { randomBytes } from 'node:crypto';
import type { ResponseItem } from '@roster/contracts/public-api/responses';
import { isObject, type JsonObject } from '#server/lib/is-object';

/** An item as it is kept: it has an id by which programs can name it. */
export type StoredItem = JsonObject & { id: string; type: string };

const prefixes = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['reasoning', 'rs'],
  ['image_generation_call', 'ig'],
]);

export const newItemId = (type: string) => `${prefixes.get(type) ?? 'item'}_${randomBytes(24).toString('hex')}`;

/** What is not named is a message where it has a role, else a reference. */
export const typeOf = ({ type, role }: ResponseItem): string =>
  type ?? (role === undefined ? 'item_reference' : 'message');

/** The content of a message as a list of parts. */
function partsOf(role: unknown, content: unknown): unknown {
  const isAnswer = role === 'assistant';
  if (typeof content === 'string') return [isAnswer ? outputText(content) : { type: 'input_text', text: content }];
  if (!isAnswer || !Array.isArray(content)) return content;
  return content.map((part) =>
    isObject(part) && part.type === 'output_text' ? { annotations: [], logprobs: [], ...part } : part,
  );
}

export const outputText = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const withStatus = new Set(['message', 'function_call', 'function_call_output']);

/** An item of the input in its long form, as the provider keeps it. */
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

/** An item of the output, which the provider may have left without an id. */
export function toOutputItem(value: unknown): StoredItem | undefined {
  if (!isObject(value) || typeof value.type !== 'string') return undefined;
  const id = typeof value.id === 'string' && value.id !== '' ? value.id : newItemId(value.type);
  return { ...value, id, type: value.type };
}

/**
 * An item of an earlier response as the provider is to read it again. It has kept nothing, so that its own ids mean nothing to
 * it; and a thought can be read only where it came along sealed.
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
