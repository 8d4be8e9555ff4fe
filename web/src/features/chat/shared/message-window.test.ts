import type { Message } from '@roster/contracts/chat';
import { describe, expect, test } from 'vitest';
import { changesOfModel, pendingMessage, withBranch, withNewer, withOlder, withPending } from './message-changes.ts';
import { activeRun, type MessageWindow, windowOf, withPage } from './message-window.ts';

const message = (
  id: number,
  parentId: number | null = id > 1 ? id - 1 : null,
  more: Partial<Message> = {},
): Message => ({
  id,
  threadId: 1,
  parentId,
  role: id % 2 ? 'user' : 'assistant',
  text: `message ${id}`,
  reasoning: '',
  state: 'complete',
  run: null,
  model: null,
  usage: null,
  error: null,
  notes: [],
  files: [],
  sources: [],
  rating: null,
  siblings: [id],
  together: [],
  chosenId: null,
  createdAt: '2026-11-20T10:00:00Z',
  finishedAt: null,
  endedEarly: null,
  ...more,
});
const ids = (window: MessageWindow | undefined) => window?.items.map(({ id }) => id);
const page = (items: Message[], nextCursor: string | null = null, newerCursor: string | null = null) => ({
  items,
  nextCursor,
  newerCursor,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const loaded = windowOf(page(range(3, 6), 'older'));

describe('fresh page over loaded messages', () => {
  test('merges an overlapping page', () => {
    const next = withPage(loaded, page(range(5, 8), 'x'));
    expect(ids(next)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(next.olderCursor).toBe('older');
    expect(next.items[2]).toBe(loaded.items[2]);
  });

  test('appends an adjacent page', () =>
    expect(ids(withPage(loaded, page(range(7, 8), 'x')))).toEqual([3, 4, 5, 6, 7, 8]));

  test('replaces messages it does not touch', () => {
    const next = withPage(loaded, page(range(20, 22), 'x'));
    expect(ids(next)).toEqual([20, 21, 22]);
    expect(next.olderCursor).toBe('x');
  });

  test('switches to another branch at its fork', () =>
    expect(ids(withPage(loaded, page([message(9, 4), message(10, 9)], 'x')))).toEqual([3, 4, 9, 10]));

  test('replaces everything if the first message differs', () =>
    expect(ids(withPage(windowOf(page(range(1, 4))), page([message(9, null), message(10, 9)])))).toEqual([9, 10]));

  test('clears the window for an empty thread', () => expect(ids(withPage(loaded, page([])))).toEqual([]));
});

describe('further pages', () => {
  test('prepends an older page', () => {
    const next = withOlder(loaded, 'older', page(range(1, 2)));
    expect(ids(next)).toEqual([1, 2, 3, 4, 5, 6]);
    expect([next.olderCursor, next.grew]).toEqual([null, 'front']);
  });
  test('appends a newer page', () => {
    const middle = windowOf(page(range(3, 4), 'o', 'n'));
    expect(ids(withNewer(middle, 'n', page(range(5, 6), null, null)))).toEqual([3, 4, 5, 6]);
  });
  test('drops a page if the window has changed since the request', () =>
    expect(withOlder(loaded, 'stale', page(range(1, 2)))).toBe(loaded));
});

describe('new branch', () => {
  test('starts below its parent', () => expect(ids(withBranch(loaded, 4, [message(9, 4)]))).toEqual([3, 4, 9]));
  test('may start the thread', () => expect(ids(withBranch(loaded, null, [message(9, null)]))).toEqual([9]));
  test('requires a loaded parent', () => expect(withBranch(loaded, 99, [message(100, 99)])).toBeUndefined());
});

test('takes the active run from the last message', () => {
  const running = message(7, 6, { state: 'running', run: { id: 3, state: 'running' } });
  expect(activeRun(windowOf(page([...range(5, 6), running])))).toEqual({ id: 3, messageId: 7 });
  expect(activeRun(loaded)).toBeNull();
});

test('shows a pending question after its parent until it is stored', () => {
  const window = windowOf(page(range(1, 4)));
  const sent = pendingMessage(window, { text: 'message 5', files: [] }, 4);
  const edited = pendingMessage(window, { text: 'message 3', files: [] }, 2);
  const shown = (pending: typeof sent, now = window) => withPending(now, pending).map(({ id }) => id);
  expect(shown(sent)).toEqual([1, 2, 3, 4, sent.id]);
  // The same text again is another question.
  expect(shown(edited)).toEqual([1, 2, edited.id]);
  expect(shown(sent, windowOf(page(range(1, 6))))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(sent.id).not.toBe(edited.id);
});

test('reports when the model differs from the previous answer’s', () => {
  const models = ['a', 'a', null, 'b', 'a'];
  const items = range(1, 10).map((one, index) =>
    index % 2 ? { ...one, model: models[(index - 1) / 2] ?? null } : one,
  );
  expect([...changesOfModel(items)]).toEqual([
    [8, 'b'],
    [10, 'a'],
  ]);
});
