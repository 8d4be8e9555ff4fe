import type { Thread } from '@roster/contracts/chat';
import { comesBefore, type ThreadWindow } from './thread-window.ts';

export function withNextPage(window: ThreadWindow, asked: string, page: ThreadWindow): ThreadWindow {
  if (window.nextCursor !== asked) return window;
  const known = new Set(window.items.map((thread) => thread.id));
  const added = page.items.filter((thread) => !known.has(thread.id));
  return { items: [...window.items, ...added], nextCursor: page.nextCursor };
}

/** The list after a thread was created or changed. */
export function withThread(window: ThreadWindow, thread: Thread): ThreadWindow {
  const before = window.items.find((candidate) => candidate.id === thread.id);
  const others = window.items.filter((candidate) => candidate.id !== thread.id);
  const items = [...others, { ...thread, match: before?.match ?? null }].sort(comesBefore);
  const last = items.at(-1);
  // At the end of the loaded part its true position is unknown: it may belong after threads that are not loaded.
  const isBeyond = window.nextCursor !== null && last?.id === thread.id && others.length > 0;
  return { ...window, items: isBeyond ? items.slice(0, -1) : items };
}

export const withoutThread = (window: ThreadWindow, id: number): ThreadWindow => ({
  ...window,
  items: window.items.filter((thread) => thread.id !== id),
});
