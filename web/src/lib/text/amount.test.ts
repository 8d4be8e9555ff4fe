import { expect, test } from 'vitest';
import { readAmount, writeAmount } from './amount.ts';

test.each([
  ['2.5', 2.5],
  ['$10', 10],
  [' 10.00 ', 10],
  ['0,15', 0.15],
  ['.5', 0.5],
  ['1,200', 1200],
  ['1,200.50', 1200.5],
  ['0', 0],
  ['', Number.NaN],
  ['ten', Number.NaN],
  ['-1', Number.NaN],
  ['1.2.3', Number.NaN],
  ['1e3', Number.NaN],
  ['.', Number.NaN],
])('parses %j as %s', (typed, amount) => expect(readAmount(typed)).toBe(amount));

test('parses its own output', () => {
  for (const amount of [0, 0.000_000_15, 1234.5, 1e6]) expect(readAmount(writeAmount(amount))).toBe(amount);
});
