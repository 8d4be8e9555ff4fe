import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test('quotes cells with commas, quotes and line breaks', () =>
  expect(toCsv([['a,b', 'say "hi"', 'two\nlines', 'plain']])).toBe('\uFEFF"a,b","say ""hi""","two\nlines",plain\r\n'));

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('neutralizes formulas: %j', (text) =>
  expect(toCsv([[text]])).toContain(`'${text}`),
);

test('writes numbers exactly, even tiny ones, and leaves unknown ones empty', () =>
  expect(toCsv([[0.000_000_12, 1_234_567.5, 0, null, -2]])).toBe('\uFEFF0.00000012,1234567.5,0,,-2\r\n'));

test('keeps the digits of a written number', () =>
  expect(toCsv([[{ number: '-12345678901234567890' }, { number: '1e400' }]])).toBe(
    '\uFEFF-12345678901234567890,1e400\r\n',
  ));
