import { expect, test } from 'vitest';
import { argumentLines, argumentText, escapeInvisible } from './readable-arguments.ts';

const read = (value: unknown) =>
  argumentLines(JSON.stringify(value))?.map(({ depth, name, value: text }) => [depth, name, text]);

test('reads arguments in order, nested ones below their parent', () => {
  expect(
    read({ to: 'ada', files: ['a.txt', { name: 'b', size: 3 }], loud: false, none: null, list: [], text: '' }),
  ).toEqual([
    [0, 'to', 'ada'],
    [0, 'files', null],
    [1, '1', 'a.txt'],
    [1, '2', null],
    [2, 'name', 'b'],
    [2, 'size', '3'],
    [0, 'loud', 'false'],
    [0, 'none', 'null'],
    [0, 'list', '(empty list)'],
    [0, 'text', '(empty)'],
  ]);
  expect(read({})).toEqual([]);
});

test('shows the source if arguments are too deep, too many or no object', () => {
  expect(read(Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`k${index}`, 1])))).toBeUndefined();
  expect(argumentLines(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`)).toBeNull();
  expect(argumentLines('[1]')).toBeNull();
  expect(argumentLines('{"a":')).toBeNull();
  expect(argumentText('{"a":')).toBe('{"a":');
  expect(argumentText('{"a":1}')).toBe('{\n  "a": 1\n}');
});

test.each(['9007199254740993', '1.0', '-0', '1e400', '0.1000000000000000055'])(
  'shows the number %s with the digits that are sent',
  (number) => {
    expect(argumentLines(`{"a":${number},"b":[${number}]}`)?.map(({ value }) => value)).toEqual([number, null, number]);
    expect(argumentText(`[${number}]`)).toBe(`[\n  ${number}\n]`);
  },
);

test('makes invisible characters visible', () => {
  expect(escapeInvisible('safe\u202Etxt.exe\u200B\0 line\n')).toBe('safe\\u{202e}txt.exe\\u{200b}\\u{0000} line\n');
});
