import { countTokens as countOld } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countNew } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tokenCounter } from './tokenizer.ts';

const asText = { disallowedSpecial: new Set<string>() };

test('counts known texts', async () => {
  const count = await tokenCounter(null);
  expect([count(''), count('a'), count('Hello, world!'), count('<|endoftext|>')]).toEqual([0, 1, 4, 7]);
});

test.each([
  ['ft:gpt-4.1:org::id', countNew],
  ['gpt-3.5-turbo', countOld],
])('counts a text of all kinds for %s like the tokenizer', async (model, reference) => {
  const count = await tokenCounter(model);
  const text =
    'It’s 12,345 words:\n\n  漢字仮名交じり文。 ÉCLAIR éclair 👩‍👩‍👧 <|endoftext|> {}[] ไทยภาษา \ud800a\udc00';
  for (const part of [text, text.toUpperCase(), text.repeat(50)]) expect(count(part)).toBe(reference(part, asText));
});
