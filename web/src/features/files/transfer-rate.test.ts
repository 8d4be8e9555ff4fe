import { expect, test } from 'vitest';
import { formatRate, formatRemaining, transferRate } from './transfer-rate.ts';

test('measures the rate over the last three seconds', () => {
  const rate = transferRate();
  expect(rate.measure(0, 0)).toBeUndefined();
  expect(rate.measure(100, 1_000)).toBeUndefined();
  expect(rate.measure(1_000, 10_000)).toBe(10_000);
  expect(rate.measure(3_000, 12_000)).toBe(4_000);
  // The first second no longer counts.
  expect(rate.measure(4_500, 13_500)).toBe(1_000);
});

test('formats rates and times', () => {
  expect(formatRate(1_572_864)).toBe('1.50 MB/s');
  expect(formatRemaining(0, 1_000)).toBe('1 s left');
  expect(formatRemaining(58_500, 1_000)).toBe('59 s left');
  expect(formatRemaining(61_000, 1_000)).toBe('2 min left');
  expect(formatRemaining(7_300_000, 1_000)).toBe('3 h left');
});
