import { expect, test } from 'vitest';
import { collapseUnchanged, textDifference } from './text-difference.ts';

test('shows unchanged lines once, and changed ones side by side with changed words', () => {
  expect(textDifference('One\nBe patient and kind.\nThree', 'One\nBe brief and kind.\nThree\nFour\n')).toEqual([
    { kind: 'same', text: 'One\n' },
    {
      kind: 'changed',
      before: [
        { text: 'Be ', differs: false },
        { text: 'patient', differs: true },
        { text: ' and kind.\n', differs: false },
      ],
      after: [
        { text: 'Be ', differs: false },
        { text: 'brief', differs: true },
        { text: ' and kind.\n', differs: false },
      ],
    },
    { kind: 'same', text: 'Three\n' },
    { kind: 'changed', before: null, after: [{ text: 'Four\n', differs: false }] },
  ]);
});

test('shows added and removed text alone', () => {
  expect(textDifference('', 'Be brief.')).toEqual([
    { kind: 'changed', before: null, after: [{ text: 'Be brief.\n', differs: false }] },
  ]);
  expect(textDifference('Be brief.', '')).toEqual([
    { kind: 'changed', before: [{ text: 'Be brief.\n', differs: false }], after: null },
  ]);
  expect(textDifference('', '')).toEqual([]);
});

test('shows very different texts whole, side by side', () => {
  const lines = (word: string) =>
    Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`)
      .join('\n')
      .concat('\n');
  const [before, after] = [lines('a'), lines('b')];
  expect(textDifference(before, after)).toEqual([
    { kind: 'changed', before: [{ text: before, differs: false }], after: [{ text: after, differs: false }] },
  ]);
});

test('shortens long unchanged text to its ends', () => {
  const lines = ['1', '2', '3', '4', '5', '6', '7'];
  expect(collapseUnchanged(`${lines.join('\n')}\n`)).toEqual({ begin: '1\n2', between: 3, end: '6\n7' });
  expect(collapseUnchanged('1\n2\n')).toEqual({ begin: '1\n2', between: 0, end: '' });
});
