import type { Thread, ThreadListItem } from '@roster/contracts/chat';

/** The loaded part of a list of threads. */
export type ThreadWindow = { items: readonly ThreadListItem[]; nextCursor: string | null };

/** Pinned first, then newest, as on the server. */
export function comesBefore(a: Thread, b: Thread): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  if (a.updatedAt !== b.updatedAt) return a.updatedAt > b.updatedAt ? -1 : 1;
  return b.id - a.id;
}

/** Merges a fresh first page; what follows it stays. */
export function withFirstPage(window: ThreadWindow | undefined, page: ThreadWindow): ThreadWindow {
  const last = page.items.at(-1);
  if (!window || !last || page.nextCursor === null) return page;
  const fresh = new Set(page.items.map((thread) => thread.id));
  const behind = window.items.filter((thread) => !fresh.has(thread.id) && comesBefore(last, thread) < 0);
  return behind.length === 0 ? page : { items: [...page.items, ...behind], nextCursor: window.nextCursor };
}
