import { expect, test } from 'vitest';
import { problemsOf, toDraft } from './draft.ts';

/** A zero-width space and an empty Braille cell: the contract counts them as nothing. */
const nothing = '\u200b \u2800';

test('a box with nothing to see in it is no prompt', () => {
  const fields = {
    tunedModel: 'ft:a',
    baseModel: 'a',
    source: 'typed' as const,
    prompts: [{ key: 1, text: nothing }],
    instructions: '',
    fileId: '',
    count: '10',
    temperature: null,
  };
  expect(problemsOf(fields)).toEqual({ prompt: 'Enter at least one prompt' });
  const both = { ...fields, prompts: [...fields.prompts, { key: 2, text: ' Why? ' }] };
  expect(toDraft(both).prompts).toEqual({ typed: ['Why?'] });
});
