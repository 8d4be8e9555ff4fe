import { countTokens as countOld } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countNew } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { seeded } from '#server/testing/crash';
import { tokenCounter, tokenCounters } from './tokenizer.ts';

const asText = { disallowedSpecial: new Set<string>() };
const below = seeded(7);
const alphabets = [
  'abcdefghij ',
  "AbC dE’s'll\n",
  ' \t\n\r  x',
  '0123456789.,',
  '漢字仮名交じり文。、',
  'éßüñ åØ ',
  '👩‍👩‍👧🎉🇩🇪 a',
  '<|endoftext|>',
  '{}[]":, \\n',
  '\u0301e\u200d ',
  'ไทยภาษา ',
  '\ud800a\udc00',
];

/** Texts that nobody would write, with all kinds of characters. */
function someText(): string {
  let text = '';
  for (let words = below(30); words >= 0; words--) {
    const letters = [...(alphabets[below(alphabets.length)] ?? '')];
    for (let length = below(12); length >= 0; length--) text += letters[below(letters.length)] ?? '';
  }
  return text;
}

test.each([
  ['gpt-4o-mini-2024-07-18', countNew],
  ['gpt-4.1', countNew],
  [null, countNew],
  ['ft:gpt-4.1:org::id', countNew],
  ['gpt-4', countOld],
  ['gpt-4-0613', countOld],
  ['gpt-3.5-turbo', countOld],
  ['ft:gpt-3.5-turbo:org::id', countOld],
])('counts for %s what the tokenizer counts', async (model, reference) => {
  const count = await tokenCounter(model);
  for (let number = 0; number < 400; number++) {
    const text = someText();
    expect(count(text), JSON.stringify(text)).toBe(reference(text, asText));
  }
});

/** Words as in most texts, up to those too long for the cache, and anything that may follow one. */
function someWords(): string {
  const letter = () => String.fromCharCode(0x61 + below(26));
  const behind = [
    ' ',
    ' ',
    ' ',
    '',
    '. ',
    ', ',
    '\n',
    "'s ",
    '’s ',
    "'",
    'A',
    'É',
    '\u0301',
    '-',
    '7',
    '  ',
    '\ud800',
    '\0',
    '漢',
  ];
  let text = '';
  for (let words = below(40); words >= 0; words--) {
    const word = Array.from({ length: 1 + below(below(6) === 0 ? 25 : 7) }, letter).join('');
    text += [word, word, `${letter().toUpperCase()}${word}`, word.toUpperCase()][below(4)] ?? '';
    text += behind[below(behind.length)] ?? '';
  }
  return text;
}

test.each([
  ['gpt-4.1', countNew],
  ['gpt-4', countOld],
])('counts words for %s the same the second time', async (model, reference) => {
  const count = await tokenCounters()(model);
  const texts = Array.from({ length: 1_500 }, someWords);
  for (const text of [...texts, ...texts.toReversed()])
    expect(count(text), JSON.stringify(text)).toBe(reference(text, asText));
});

test.each([
  ['one letter', 'a'],
  ['spaces', ' '],
  ['Chinese without a break', '漢字仮名交文'],
  ['line breaks', '\n'],
  ['signs', '=-'],
  ['capitals between small letters', 'aB'],
])('counts millions of %s', async (_what, unit) => {
  const count = await tokenCounter(null);
  const [some, many] = [count(unit.repeat(50_000)), count(unit.repeat(4_000_000))];
  expect(many / some).toBeCloseTo(80, 0);
});

test('counts a long text like the tokenizer, whichever parts it is cut into', async () => {
  const count = await tokenCounter(null);
  const words = Array.from({ length: 4_000 }, someText)
    .join(' ')
    .replaceAll(/\S{100,}/g, ' long ');
  expect(Math.abs(count(words) / countNew(words, asText) - 1)).toBeLessThan(0.0001);
});
