import { describe, expect, test } from 'vitest';
import { assistant } from '#web/testing/assistants.ts';
import { type Arrangement, arranged, tagsOf } from './arrange.ts';

const given = [
  assistant(1, { name: 'Tutor 10', tags: ['School', 'math'], description: 'Explains fractions' }),
  assistant(2, { name: 'tutor 9', tags: ['school'], model: 'gpt-6-luna' }),
  assistant(3, { name: 'Ärztin', tags: ['Work'] }),
];
const usage = new Map([
  [1, { assistantId: 1, costUsd: 0.5, unpricedRequests: 0, lastUsedOn: '2026-11-01' }],
  [2, { assistantId: 2, costUsd: 2, unpricedRequests: 0, lastUsedOn: '2026-11-20' }],
]);
const ids = (change: Partial<Arrangement>) =>
  arranged(given, { text: '', tag: null, sort: 'newest', ...change }, usage).map(({ id }) => id);

describe('assistants of the page', () => {
  test('are sorted by use, age, name and cost', () => {
    expect(ids({ sort: 'used' })).toEqual([2, 1, 3]);
    expect(ids({ sort: 'newest' })).toEqual([3, 2, 1]);
    expect(ids({ sort: 'name' })).toEqual([3, 2, 1]);
    expect(ids({ sort: 'cost' })).toEqual([2, 1, 3]);
  });

  test('are found by all words of name, description, model and tags', () => {
    expect(ids({ text: 'TUTOR' })).toEqual([2, 1]);
    expect(ids({ text: 'fractions tutor' })).toEqual([1]);
    expect(ids({ text: 'luna' })).toEqual([2]);
    expect(ids({ text: 'ärztin' })).toEqual([3]);
    expect(ids({ text: 'a\u0308rztin' })).toEqual([3]);
    expect(ids({ text: 'tutor nothing' })).toEqual([]);
  });

  test('are filtered by a tag, whatever its case', () => {
    expect(ids({ tag: 'SCHOOL' })).toEqual([2, 1]);
    expect(tagsOf(given)).toEqual(['School', 'math', 'Work']);
  });
});
