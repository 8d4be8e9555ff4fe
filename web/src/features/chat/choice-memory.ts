import type { Choice } from './use-assistants.ts';

/**
 * The model that a person began their last conversation with, without an assistant; the next one begins with it. It
 * counts until they begin one with an assistant or make another assistant their default.
 */
const keyOf = (userId: number) => `chat-model:${userId}`;

export function rememberChoice(userId: number, { assistantId, model }: Choice, defaultId: number | null): void {
  try {
    if (assistantId !== null || model === null) localStorage.removeItem(keyOf(userId));
    else localStorage.setItem(keyOf(userId), JSON.stringify([model, defaultId]));
  } catch {
    // Storage is refused: the next conversation begins with the default.
  }
}

export function rememberedModel(userId: number, defaultId: number | null): string | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? 'null');
    if (!Array.isArray(kept) || kept[1] !== defaultId) return null;
    return typeof kept[0] === 'string' ? kept[0] : null;
  } catch {
    return null;
  }
}
