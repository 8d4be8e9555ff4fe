import { expect, test } from 'vitest';
import { continuedTurns, jointTo } from './continuation.ts';

/** A deterministic generator. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

const words = 'the quick brown fox, jumps over\nlazy **dogs** 🦜 while `code` runs; Größe 测试 done.\n\n- item'.split(
  ' ',
);

function textOf(next: (below: number) => number): string {
  // Numbered, so that nothing repeats by chance.
  return Array.from({ length: 20 + next(60) }, (_, index) => `${words[next(words.length)]}${index}`).join(' ');
}

function inPieces(text: string, next: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + next(12);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function continued(text: string, pieces: readonly string[]): string {
  const joint = jointTo(text);
  return text + pieces.map((piece) => joint.take(piece)).join('') + joint.rest();
}

test('restores a text that is cut anywhere and continued exactly or with repetition', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = numbers(seed);
    const whole = textOf(next);
    const cut = 1 + next(whole.length - 1);
    const text = whole.slice(0, cut);
    expect(continued(text, inPieces(whole.slice(cut), next)), `exactly, ${seed}`).toBe(whole);
    const again = Math.max(0, cut - 24 - next(100));
    // Shorter matches count as chance.
    if (cut - again < 16) continue;
    expect(continued(text, inPieces(whole.slice(again), next)), `repeated, ${seed}`).toBe(whole);
  }
});

test.each<[string, string, string, string]>([
  ['the word that broke off', 'Call the func', 'function twice', 'Call the function twice'],
  ['the line that broke off', 'a = 1\n  ret', '  return a', 'a = 1\n  return a'],
  ['a list item', '- one\n- two and', '- two and three', '- one\n- two and three'],
  ['an opened block', '```py\na = 1\n', '```python\nb = 2\n```', '```py\na = 1\nb = 2\n```'],
  ['an opened block in the middle of a line', '```py\na = 1', '```py\nb = 2\n```', '```py\na = 1\nb = 2\n```'],
  [
    'an opened block with the line that broke off',
    '```py\n  print(',
    '```py\n  print(1)\n```',
    '```py\n  print(1)\n```',
  ],
  ['the end of a block', '```py\na = 1\n', '```\nDone.', '```py\na = 1\n```\nDone.'],
  ['code in a closed block', '```\na\n```\nAnd ', '```js\nb\n```', '```\na\n```\nAnd ```js\nb\n```'],
  [
    'numbers that go on',
    '0, 0, 0, 0, 0, 0, 0, 0, 0, ',
    '0, 0, 0, 0, 0, 0, 1',
    '0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1',
  ],
  ['a space before the next word', 'that', ' that', 'that that'],
  ['nothing', 'Some text', '', 'Some text'],
])('meets %s', (_, text, more, whole) => {
  const pieces = [...more];
  expect(continued(text, pieces)).toBe(whole);
  expect(continued(text, more === '' ? [] : [more])).toBe(whole);
});

test('takes linear time for a long repetition', () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' ');
  expect(continued(long, [`${long.slice(-1_500)} and more`])).toBe(`${long} and more`);
  expect(continued('a'.repeat(50_000), ['a'.repeat(5_000)])).toBe('a'.repeat(55_000));
});

test('places the answer so far and the instruction after the question', () => {
  const question = { role: 'user' as const, text: 'q' };
  const called = { role: 'assistant' as const, text: 'a', calls: [] };
  const rest = { role: 'assistant' as const, text: 'b' };
  const { before, soFar } = continuedTurns([question, called, rest]);
  expect(before).toEqual([question]);
  expect(soFar).toEqual([called, rest, { role: 'user', text: expect.stringMatching(/^Continue your last answer/) }]);
});
