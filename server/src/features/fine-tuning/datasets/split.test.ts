import { expect, test } from 'vitest';
import { seeded } from '#server/testing/crash';
import { splitByConversation } from './split.ts';

/** Conversations of these sizes, with their examples mixed. */
const examplesOf = (sizes: number[]) =>
  sizes
    .flatMap((size, conversation) =>
      Array.from({ length: size }, (_, index) => ({ order: index, conversation: `c${conversation}` })),
    )
    .toSorted((a, b) => a.order - b.order)
    .map(({ conversation }, index) => ({ id: index + 1, conversation }));

/** All numbers of examples that whole conversations can make, except none and all. */
function possible(sizes: number[]): number[] {
  const sums = new Set([0]);
  for (const size of sizes) for (const sum of [...sums]) sums.add(sum + size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return [...sums].filter((sum) => sum > 0 && sum < total);
}

test('finds the nearest share with whole conversations, and loses nothing', () => {
  const random = seeded(7);
  for (let round = 0; round < 300; round++) {
    const sizes = Array.from({ length: 2 + random(12) }, () => 1 + random(round % 3 === 0 ? 40 : 5));
    const examples = examplesOf(sizes);
    for (const share of [0.05, 0.1, 0.2, 0.33, 0.5]) {
      const { conversations, training, validation } = splitByConversation(examples, share);
      expect(conversations).toBe(sizes.length);
      expect([...training, ...validation].toSorted((a, b) => a - b)).toEqual(examples.map(({ id }) => id));
      const conversationsOf = (ids: number[]) => new Set(ids.map((id) => examples[id - 1]?.conversation));
      const inValidation = conversationsOf(validation);
      expect([...conversationsOf(training)].filter((conversation) => inValidation.has(conversation))).toEqual([]);
      const distance = (count: number) => Math.abs(count - Math.max(1, Math.round(examples.length * share)));
      const nearest = Math.min(...possible(sizes).map(distance));
      expect([sizes, share, distance(validation.length)]).toEqual([sizes, share, nearest]);
      expect(splitByConversation(examples, share)).toEqual({ conversations, training, validation });
    }
  }
});

test('puts early and late conversations into both parts, and keeps the order', () => {
  const { training, validation } = splitByConversation(examplesOf(Array.from({ length: 1000 }, () => 1)), 0.2);
  expect(validation.length).toBe(200);
  for (const ids of [training, validation]) expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  for (let from = 0; from < 1000; from += 250)
    expect(validation.filter((id) => id > from && id <= from + 250).length).toBeGreaterThan(25);
});

test('keeps a single conversation whole, and divides none', () => {
  expect(splitByConversation(examplesOf([5]), 0.5)).toEqual({
    conversations: 1,
    training: [1, 2, 3, 4, 5],
    validation: [],
  });
  expect(splitByConversation([], 0.5)).toEqual({ conversations: 0, training: [], validation: [] });
});
