import type { ThreadListItem } from '@roster/contracts/chat';
import { describe, expect, test } from 'vitest';
import { type ThreadWindow, withFirstPage } from '#web/features/chat/shared/thread-window.ts';
import { withNextPage, withoutThread, withThread } from '#web/features/chat/shared/thread-window-changes.ts';
import { groupOf, groupThreads } from './thread-list.tsx';

const thread = (id: number, updatedAt: string, more: Partial<ThreadListItem> = {}): ThreadListItem => ({
  id,
  title: `Thread ${id}`,
  assistantId: null,
  model: null,
  pinned: false,
  archived: false,
  madeBy: null,
  createdAt: updatedAt,
  updatedAt,
  runId: null,
  match: null,
  ...more,
});
const minute = (value: number) => `2026-11-20T10:${String(value).padStart(2, '0')}:00.000Z`;
const ids = (window: ThreadWindow) => window.items.map(({ id }) => id);

describe('groups', () => {
  const now = new Date(2026, 10, 20, 0, 30);
  const at = (...when: [number, number, number, number, number]) => ({
    pinned: false,
    updatedAt: new Date(...when).toISOString(),
  });
  test.each([
    [at(2026, 10, 20, 0, 10), 'Today'],
    [at(2026, 10, 19, 23, 59), 'Yesterday'],
    [at(2026, 10, 19, 0, 0), 'Yesterday'],
    [at(2026, 10, 18, 23, 59), 'Previous 7 Days'],
    [at(2026, 10, 13, 0, 0), 'Previous 7 Days'],
    [at(2026, 10, 12, 23, 59), 'Previous 30 Days'],
    [at(2026, 9, 21, 0, 0), 'Previous 30 Days'],
    [at(2026, 9, 20, 23, 59), 'October 2026'],
    [at(2025, 9, 1, 0, 0), 'October 2025'],
    [{ ...at(2020, 1, 1, 1, 1), pinned: true }, 'Pinned'],
  ])('groups %j under %s', (item, group) => expect(groupOf(item, now)).toBe(group));

  test('shows each heading once', () => {
    const rows = groupThreads(
      [thread(1, minute(1), { pinned: true }), thread(2, minute(2)), thread(3, minute(1))],
      now,
    );
    expect(rows.map((row) => row.kind)).toEqual(['heading', 'thread', 'heading', 'thread', 'thread']);
  });
});

describe('loaded list', () => {
  const loaded: ThreadWindow = {
    items: [thread(5, minute(5)), thread(4, minute(4)), thread(3, minute(3)), thread(2, minute(2))],
    nextCursor: 'n',
  };

  test('keeps what follows a fresh first page, and drops deleted threads', () => {
    const fresh = { items: [thread(9, minute(9)), thread(5, minute(5)), thread(3, minute(3))], nextCursor: 'p' };
    const next = withFirstPage(loaded, fresh);
    expect(ids(next)).toEqual([9, 5, 3, 2]);
    expect(next.nextCursor).toBe('n');
  });
  test('replaces the list by a first page that is complete', () =>
    expect(ids(withFirstPage(loaded, { items: [thread(1, minute(1))], nextCursor: null }))).toEqual([1]));
  test('appends only new threads of the next page', () =>
    expect(
      ids(withNextPage(loaded, 'n', { items: [thread(2, minute(2)), thread(1, minute(1))], nextCursor: null })),
    ).toEqual([5, 4, 3, 2, 1]));
  test('moves a changed thread to its position', () => {
    expect(ids(withThread(loaded, thread(3, minute(9))))).toEqual([3, 5, 4, 2]);
    expect(ids(withThread(loaded, thread(2, minute(2), { pinned: true })))).toEqual([2, 5, 4, 3]);
  });
  test('drops a thread whose position is not loaded', () =>
    expect(ids(withThread(loaded, thread(5, minute(1))))).toEqual([4, 3, 2]));
  test('drops a deleted thread', () => expect(ids(withoutThread(loaded, 4))).toEqual([5, 3, 2]));
});
