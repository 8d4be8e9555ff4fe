import { expect, test } from 'vitest';
import { problemsOf, toDraft } from './draft.ts';

/** Zero-width space and empty Braille cell: blank by the contract. */
const nothing = '\u200b \u2800';

test('ignores blank prompts', () => {
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
  expect(problemsOf(fields)).toEqual({ prompts: 'Enter at least one prompt' });
  const both = { ...fields, prompts: [...fields.prompts, { key: 2, text: ' Why? ' }] };
  expect(toDraft(both).prompts).toEqual({ typed: ['Why?'] });
});
