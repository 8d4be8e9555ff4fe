import type { ThreadListItem } from '@roster/contracts/chat';

export type ThreadRow = { kind: 'heading'; label: string } | { kind: 'thread'; thread: ThreadListItem };

const dayOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Heading of a thread's group, by the user's local calendar. */
export function groupOf(thread: Pick<ThreadListItem, 'pinned' | 'updatedAt'>, now: Date): string {
  if (thread.pinned) return 'Pinned';
  const today = dayOf(now);
  const day = dayOf(new Date(thread.updatedAt));
  if (day >= today) return 'Today';
  // By calendar, because days are not always 24 hours long.
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime();
  return day >= yesterday ? 'Yesterday' : 'Earlier';
}

/** Rows of the list: threads in order, with a heading before each group. */
export function groupThreads(threads: readonly ThreadListItem[], now: Date): ThreadRow[] {
  const rows: ThreadRow[] = [];
  let group = '';
  for (const thread of threads) {
    const next = groupOf(thread, now);
    if (next !== group) rows.push({ kind: 'heading', label: next });
    group = next;
    rows.push({ kind: 'thread', thread });
  }
  return rows;
}
