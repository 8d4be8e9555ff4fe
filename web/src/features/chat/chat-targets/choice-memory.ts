import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { readStoredJson, writeStored } from '#web/lib/storage/storage.ts';

/**
 * Model of the user's last conversation without an assistant, used for the next one. Reset by a conversation with an
 * assistant or a new default assistant.
 */
const keyOf = (userId: number) => `chat-model:${userId}`;

export function rememberChoice(userId: number, { assistantId, model }: Choice, defaultId: number | null): void {
  const isPlainModel = assistantId === null && model !== null;
  writeStored(keyOf(userId), isPlainModel ? JSON.stringify([model, defaultId]) : null);
}

export function rememberedModel(userId: number, defaultId: number | null): string | null {
  const kept = readStoredJson(keyOf(userId));
  if (!Array.isArray(kept) || kept[1] !== defaultId) return null;
  return typeof kept[0] === 'string' ? kept[0] : null;
}
