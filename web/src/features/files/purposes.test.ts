import { expect, test } from 'vitest';
import { looksLikeTraining, suggestPurpose } from './purposes.ts';

const chat = '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}';
const pair = '{"prompt":"Hi","completion":"Hello"}';
const preference = '{"input":{"messages":[]},"preferred_output":[],"non_preferred_output":[]}';

test.each([
  ['chats', `${chat}\n${chat}\n`, true, true],
  ['pairs with Windows line ends', `${pair}\r\n\r\n${pair}`, true, true],
  ['preferences', preference, true, true],
  ['a cut last line', `${chat}\n{"mess`, false, true],
  ['a broken last line', `${chat}\n{"mess`, true, false],
  ['other records', '{"id":1}\n{"id":2}', true, false],
  ['one record among others', `${chat}\n{"id":2}`, true, false],
  ['no records', '\n\n', true, false],
  ['plain text', 'Hello', true, false],
  ['values that are no objects', 'null\n1', true, false],
])('recognizes %s', (_, text, isWhole, expected) => {
  expect(looksLikeTraining(text, isWhole)).toBe(expected);
});

test('suggests messages for files that assistants cannot search', async () => {
  for (const name of ['a.PNG', 'a.csv', 'a.xlsx', 'no-ending', '.md'])
    expect(await suggestPurpose(new File(['x'], name)), name).toBe('user_data');
  expect(await suggestPurpose(new File(['x'], 'png.MD'))).toBe('assistants');
});

test('suggests training for JSONL only', async () => {
  expect(await suggestPurpose(new File([chat], 'a.JSONL'))).toBe('fine-tune');
  expect(await suggestPurpose(new File([chat], 'a.json'))).toBe('assistants');
  expect(await suggestPurpose(new File(['{"id":1}'], 'a.jsonl'))).toBe('user_data');
  // The first 64 KB end inside a line.
  expect(await suggestPurpose(new File([`${chat}\n`.repeat(2000)], 'long.jsonl'))).toBe('fine-tune');
});
