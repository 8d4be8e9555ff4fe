import { expect, test } from 'vitest';
import { seeded } from '#server/testing/generated';
import { isIntegerText, parseExact } from './exact-json.ts';
import { isObject } from './is-object.ts';

test.each([
  '9007199254740993',
  '-9007199254740993',
  '18446744073709551615',
  '123456789012345678901234567890',
  '1.0',
  '-0',
  '-0.0',
  '1e400',
  '1E5',
  '1e-400',
  '0.1000000000000000055511151231257827',
  '1',
  '0.5',
])('keeps the number %s wherever it appears', (number) => {
  for (const text of [number, `[${number}]`, `{"a":{"b":[${number},"${number}"]}}`]) {
    const value = parseExact(text);
    expect(JSON.stringify(value)).toBe(text);
  }
  expect(isObject(parseExact(number))).toBe(false);
});

test('keeps the digits of all numbers in any document', () => {
  const random = seeded('numbers');
  const upTo = (most: number) => Math.floor(random() * most);
  const digits = (most: number) => Array.from({ length: 1 + upTo(most) }, () => upTo(10)).join('');
  const number = () =>
    `${random() < 0.5 ? '-' : ''}${random() < 0.2 ? '0' : `${1 + upTo(9)}${digits(24)}`}${random() < 0.4 ? `.${digits(20)}` : ''}${random() < 0.3 ? `e${random() < 0.5 ? '-' : '+'}${digits(3)}` : ''}`;
  const value = (depth: number): string => {
    if (depth === 0 || random() < 0.4) return random() < 0.7 ? number() : JSON.stringify(`"${number()}\\`);
    const inner = Array.from({ length: upTo(4) }, () => value(depth - 1));
    return random() < 0.5 ? `[${inner}]` : `{${inner.map((one, at) => `"k${at}":${one}`)}}`;
  };
  for (let round = 0; round < 2_000; round++) {
    const text = value(4);
    expect(JSON.stringify(parseExact(text))).toBe(text);
  }
});

test.each([
  ['1', true],
  ['1.0', true],
  ['-0', true],
  ['0.0e-5', true],
  ['1e400', true],
  ['1.50e1', true],
  ['120e-1', true],
  ['9007199254740993', true],
  ['9007199254740993.5', false],
  ['1e-400', false],
  ['15e-1', false],
  ['', false],
  ['NaN', false],
])('recognizes whether %s is a whole number: %s', (text, isWhole) => {
  expect(isIntegerText(text)).toBe(isWhole);
});
