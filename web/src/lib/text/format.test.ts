import { describe, expect, test } from 'vitest';
import {
  formatAxisCost,
  formatCost,
  formatCount,
  formatExpected,
  formatLongDate,
  formatMegabytes,
  formatRelative,
  formatSmallSize,
} from './format.ts';

describe('costs', () => {
  test.each([
    [0, '$0.00'],
    [12.4, '$12.40'],
    [1234.5, '$1,234.50'],
    [0.12, '$0.12'],
    [0.0031, '$0.0031'],
    [0.00000123, '$0.0000012'],
    [0.05, '$0.05'],
    [null, '—'],
  ])('formats %s as %s', (usd, text) => expect(formatCost(usd)).toBe(text));
});

test.each([
  [0, 1, '$0'],
  [1500, 500, '$1,500'],
  [0.5, 0.5, '$0.50'],
  [0.004, 0.002, '$0.004'],
  [0.002, 0.001, '$0.002'],
  [0.000_05, 0.000_05, '$0.00005'],
])('formats %s in steps of %s as %s', (usd, step, text) => expect(formatAxisCost(usd, step)).toBe(text));

describe('dates', () => {
  test('keeps a plain day in every time zone', () => expect(formatLongDate('2027-01-14')).toBe('January 14, 2027'));

  const now = Date.parse('2026-11-20T12:00:00Z');
  test.each([
    ['2026-11-20T11:59:40Z', 'just now'],
    ['2026-11-20T11:55:00Z', '5 minutes ago'],
    ['2026-11-20T09:00:00Z', '3 hours ago'],
    ['2026-11-19T11:00:00Z', 'yesterday'],
    ['2026-11-01T12:00:00Z', '2 weeks ago'],
  ])('formats %s as %s', (date, text) => expect(formatRelative(date, now)).toBe(text));
});

test('counts 1,048,576 bytes per megabyte, with two decimals', () => {
  expect(formatMegabytes(1_310_720)).toBe('1.25 MB');
  expect(formatMegabytes(0)).toBe('0.00 MB');
  expect([1, 812, 3_277, 51_200].map(formatSmallSize)).toEqual(['1 byte', '812 bytes', '3.2 KB', '50 KB']);
});

test('uses the singular for one', () => {
  expect(formatCount(1, 'assistant')).toBe('1 assistant');
  expect(formatCount(1200, 'assistant')).toBe('1,200 assistants');
});

test.each([
  ['2026-11-20T12:05:30Z', 'in 5 minutes'],
  ['2026-11-20T12:00:20Z', 'in less than a minute'],
  ['2026-11-20T12:00:00Z', 'any moment now'],
  ['2026-11-20T11:00:00Z', 'any moment now'],
])('expects %s %s', (date, text) => expect(formatExpected(date, Date.parse('2026-11-20T12:00:00Z'))).toBe(text));
