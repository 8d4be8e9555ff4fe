import { expect, test } from 'vitest';
import { indentJson, parseJsonLosslessly, RawNumber } from './json-text.ts';

const numbers = ['9007199254740993', '-0', '1.0', '1e400', '1E-7', '0.1000000000000000055', '7'];

test.each(numbers)('keeps the digits of %s', (number) => {
  expect(parseJsonLosslessly(number)).toEqual(new RawNumber(number));
  expect(indentJson(`{"a":[${number},"${number}"]}`)).toBe(`{\n  "a": [\n    ${number},\n    "${number}"\n  ]\n}`);
});

test('keeps strings that look like marks, numbers or ends', () => {
  for (const text of ['', '#1', '$', '$#1', '12', '"', '\\', '\\"', 'a": 1, "b', '\u2028', '😀', '\u0000', '-1e5']) {
    const json = JSON.stringify({ [text]: [text, null, true] });
    expect(parseJsonLosslessly(json)).toEqual(new Map([[text, [text, null, true]]]));
    expect(JSON.parse(indentJson(json))).toEqual({ [text]: [text, null, true] });
  }
});

test('keeps the order of fields, and the last of duplicates', () => {
  expect([...(parseJsonLosslessly('{"b":1,"2":2,"1":3,"__proto__":4}') as Map<string, unknown>).keys()]).toEqual([
    'b',
    '2',
    '1',
    '__proto__',
  ]);
  expect(parseJsonLosslessly('{"a":1,"a":"x"}')).toEqual(new Map([['a', 'x']]));
});

test.each(['', '{', '01', '1.', '.5', '+1', '1 2', '{"a":1,}', "{'a':1}", 'NaN', '[1'])('rejects %s', (text) => {
  expect(() => parseJsonLosslessly(text)).toThrow(SyntaxError);
  expect(() => indentJson(text)).toThrow(SyntaxError);
});
