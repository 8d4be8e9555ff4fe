import { expect, test } from 'vitest';
import { pollIntervalMs } from './poll-interval.ts';

test.each([
  [300, 500],
  [150, 1_000],
  [60, 2_500],
  [30, 5_000],
  [0, 5_000],
])('lets a client with %i of 300 calls left poll again after %i ms', (remaining, ms) => {
  expect(pollIntervalMs({ limit: 300, remaining })).toBe(ms);
});
