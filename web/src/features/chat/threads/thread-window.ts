import type { Thread, ThreadListItem } from '@roster/contracts/chat';

/** The loaded first part of a list of threads. */
export type ThreadWindow = { items: readonly ThreadListItem[]; nextCursor: string | null };

/** Pinned first, then the newest: the order the server keeps. */
function comesBefore(a: Thread, b: Thread): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  if (a.updatedAt !== b.updatedAt) return a.updatedAt > b.updatedAt ? -1 : 1;
  return b.id - a.id;
}

/** Puts a freshly read first page over what is loaded; what lies behind it stays. */
export function withFirstPage(window: ThreadWindow | undefined, page: ThreadWindow): ThreadWindow {
  const last = page.items.at(-1);
  if (!window || !last || page.nextCursor === null) return page;
  const fresh = new Set(page.items.map((thread) => thread.id));
  const behind = window.items.filter((thread) => !fresh.has(thread.id) && comesBefore(last, thread) < 0);
  return behind.length === 0 ? page : { items: [...page.items, ...behind], nextCursor: window.nextCursor };
}

export function withNextPage(window: ThreadWindow, asked: string, page: ThreadWindow): ThreadWindow {
  if (window.nextCursor !== asked) return window;
  const known = new Set(window.items.map((thread) => thread.id));
  const added = page.items.filter((thread) => !known.has(thread.id));
  return { items: [...window.items, ...added], nextCursor: page.nextCursor };
}

/** The list after a thread was made or changed. */
export function withThread(window: ThreadWindow, thread: Thread): ThreadWindow {
  const before = window.items.find((candidate) => candidate.id === thread.id);
  const others = window.items.filter((candidate) => candidate.id !== thread.id);
  const items = [...others, { ...thread, match: before?.match ?? null }].sort(comesBefore);
  const last = items.at(-1);
  // At the very end of what is loaded its true place is unknown: it may lie behind threads that are not loaded.
  const isBeyond = window.nextCursor !== null && last?.id === thread.id && others.length > 0;
  return { ...window, items: isBeyond ? items.slice(0, -1) : items };
}

export const withoutThread = (window: ThreadWindow, id: number): ThreadWindow => ({
  ...window,
  items: window.items.filter((thread) => thread.id !== id),
});
