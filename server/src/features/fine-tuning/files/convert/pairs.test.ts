import { expect, test } from 'vitest';
import { seeded } from '#server/testing/crash';
import { createPairInspection, toConversation } from './pairs.ts';

type Pair = { prompt: string; completion: string };

function converted(pairs: readonly Pair[]) {
  const inspection = createPairInspection();
  for (const [index, pair] of pairs.entries()) inspection.see(pair, index + 1);
  const { trimming } = inspection.result();
  const contents = pairs.map((pair): [string, string] | undefined => {
    const conversation = toConversation(pair, trimming);
    if (conversation === undefined) return undefined;
    const { messages } = JSON.parse(conversation);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    return [messages[0].content, messages[1].content];
  });
  return { trimming, contents };
}
const answersOf = (...completions: string[]) =>
  converted(completions.map((completion) => ({ prompt: 'Q', completion }))).contents.map((content) => content?.[1]);

test.each<[what: string, completions: string[], answers: string[]]>([
  ['the story’s own end', [' Once. THE END', ' Twice. THE END'], ['Once. THE END', 'Twice. THE END']],
  ['the story’s own end on a line of its own', [' Once.\nTHE END'], ['Once.\nTHE END']],
  ['a stop sequence behind the story’s end', [' Once. THE END END', ' Twice. END'], ['Once. THE END', 'Twice.']],
  ['an end that only some have', [' a END', ' b'], ['a END', 'b']],
  ['indentation', ['    return 1', '    return 2'], ['    return 1', '    return 2']],
  [
    'indentation behind the space that begins each completion',
    [' def f():', '     return 1'],
    ['def f():', '    return 1'],
  ],
  ['tabs', ['\treturn 1', ' x'], ['\treturn 1', ' x']],
  ['a space that only some begin with', [' a', 'b'], [' a', 'b']],
  ['blank lines at both ends', [' \n\na\n\n', ' b'], ['\n\na\n\n', 'b']],
  ['blanks behind the text', [' a  ', ' b '], ['a  ', 'b ']],
])('keeps %s', (_what, completions, answers) => {
  expect(answersOf(...completions)).toEqual(answers);
});

test('leaves out a pair whose completion is only the stop sequence', () => {
  const inspection = createPairInspection();
  const pairs = [' One END', ' END', ' Two END'].map((completion) => ({ prompt: 'Q', completion }));
  for (const [index, pair] of pairs.entries()) inspection.see(pair, index + 1);
  const { trimming, ...found } = inspection.result();
  expect(found).toEqual({ pairs: 2, leftOut: { lines: 1, first: [2] } });
  expect(pairs.map((pair) => toConversation(pair, trimming) !== undefined)).toEqual([true, false, true]);
});

test('removes only what the whole file has around its pairs', () => {
  const below = seeded(28);
  const pieces = [
    ...[
      'a',
      'END',
      'THE END',
      ' THE END',
      ' END',
      '\nEND',
      '###',
      ' ###',
      '\n\n###\n\n',
      '---',
      ' ->',
      '->',
      '<|endoftext|>',
    ],
    ...[' ', '  ', '    ', '\t', '\n', '\n\n', '\u00a0', '漢字', '😀', '"', '\\', '{', '\r\n'],
  ];
  const text = () => Array.from({ length: below(6) }, () => pieces[below(pieces.length)] ?? '').join('');
  for (let file = 0; file < 2_000; file++) {
    // Affixes that every pair of the file has, often enough.
    const [start, promptEnd, completionEnd] = [below(2) ? ' ' : '', below(2) ? text() : '', below(2) ? text() : ''];
    const pairs = Array.from({ length: 1 + below(4) }, () => ({
      prompt: `${text()}${promptEnd}`,
      completion: `${start}${text()}${completionEnd}`,
    }));
    const { trimming, contents } = converted(pairs);
    for (const [index, { prompt, completion }] of pairs.entries()) {
      const content = contents[index];
      if (!content) {
        // Only the common end, or blanks, was there.
        expect(completion.slice(0, completion.length - trimming.completionEnd.length).trim()).toBe('');
        continue;
      }
      const [question, answer] = content;
      expect(question + trimming.promptEnd).toBe(prompt);
      const rest = answer + trimming.completionEnd;
      expect([`${trimming.completionStart}${rest}`, rest]).toContain(completion);
      if (trimming.completionStart) expect(completion.startsWith(' ')).toBe(true);
    }
  }
});
