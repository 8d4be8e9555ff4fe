import { DatasetName } from '@roster/contracts/fine-tuning/datasets';
import { expect, test } from 'vitest';

/** Zero-width space and empty Braille cell: blank by the contract. */
const nothing = '\u200b \u2800';

test('rejects a dataset name in which nothing can be seen', () => {
  expect(DatasetName.safeParse(nothing).error?.issues[0]?.message).toBe('Name is required');
  expect(DatasetName.parse(' Tutor ')).toBe('Tutor');
});
