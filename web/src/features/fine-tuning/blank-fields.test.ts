import { expect, test } from 'vitest';
import { nameProblem } from './datasets/name-problem.ts';

/** A zero-width space and an empty Braille cell: the contract counts them as nothing. */
const nothing = '\u200b \u2800';

test('what shows nothing is no name of a dataset', () => {
  expect(nameProblem(nothing)).toBe('Name is required');
  expect(nameProblem(' Tutor ')).toBeUndefined();
});
