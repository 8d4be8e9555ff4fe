import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pace, wait } from './pacing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function course(count: number, delayMs: number, onSend: (index: number) => void = () => undefined) {
  const leaving = new AbortController();
  const start = performance.now();
  const sentAt: number[] = [];
  const done = pace({
    count,
    delayMs,
    signal: leaving.signal,
    pressed: () => null,
    send(index) {
      sentAt.push(performance.now() - start);
      onSend(index);
      return true;
    },
  });
  return { done, sentAt, leave: () => leaving.abort() };
}

test('sends each token at its own moment', async () => {
  const { done, sentAt } = course(5, 50);
  await vi.advanceTimersByTimeAsync(1_000);
  await done;
  expect(sentAt).toEqual([0, 50, 100, 150, 200]);
});

test('does not delay the tokens after a late one', async () => {
  const { done, sentAt } = course(5, 50);
  // The clock jumps over two moments without running timers, as in a busy process.
  const real = performance.now.bind(performance);
  const late = vi.spyOn(performance, 'now').mockImplementation(() => real() + 70);
  await vi.advanceTimersByTimeAsync(50);
  expect(sentAt).toEqual([0, 120, 120]);
  late.mockRestore();
  await vi.advanceTimersByTimeAsync(1_000);
  await done;
  expect(sentAt.slice(3)).toEqual([150, 200]);
});

test('does not accumulate fractions of milliseconds', async () => {
  const { done, sentAt } = course(300, 1 / 3);
  await vi.advanceTimersByTimeAsync(99);
  expect(sentAt).toHaveLength(298);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(sentAt).toHaveLength(300);
});

test('sends nothing after the client has left, and leaves no timer behind', async () => {
  const { done, sentAt, leave } = course(100, 50);
  await vi.advanceTimersByTimeAsync(120);
  leave();
  await done;
  expect(sentAt).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('waits for a client that reads too slowly', async () => {
  const relief = Promise.withResolvers<void>();
  const sent: number[] = [];
  let pressed = false;
  const done = pace({
    count: 4,
    delayMs: 0,
    signal: new AbortController().signal,
    pressed: () => (pressed ? relief.promise : null),
    send(index) {
      sent.push(index);
      pressed = index === 1;
      return true;
    },
  });
  expect(sent).toEqual([0, 1]);
  pressed = false;
  relief.resolve();
  await done;
  expect(sent).toEqual([0, 1, 2, 3]);
});

test('stops waiting when the client leaves', async () => {
  const leaving = new AbortController();
  const waiting = wait(1_000, leaving.signal);
  leaving.abort();
  await waiting;
  await wait(1_000, leaving.signal);
  expect(vi.getTimerCount()).toBe(0);
});
