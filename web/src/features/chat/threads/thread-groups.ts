import type { ThreadListItem } from '@roster/contracts/chat';

export type ThreadRow = { kind: 'heading'; label: string } | { kind: 'thread'; thread: ThreadListItem };

const dayOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** The group of a thread on the reader's own calendar. */
export function groupOf(thread: Pick<ThreadListItem, 'pinned' | 'updatedAt'>, now: Date): string {
  if (thread.pinned) return 'Pinned';
  const today = dayOf(now);
  const day = dayOf(new Date(thread.updatedAt));
  if (day >= today) return 'Today';
  // A day is not always 24 hours long, so yesterday is found by the calendar.
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime();
  return day >= yesterday ? 'Yesterday' : 'Earlier';
}

/** The rows of the list: the threads as they come, with a heading before each group. */
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
