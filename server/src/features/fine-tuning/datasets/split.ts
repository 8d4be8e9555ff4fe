import { hash } from 'node:crypto';

/** An example of a training file. Examples of one conversation have the same `conversation`. */
export type IncludedExample = { id: number; conversation: string };

/** `validation` is empty if there is only one conversation, which is not divided. */
type DatasetSplit = { conversations: number; training: number[]; validation: number[] };

/** Pseudo-random, and the same each time. */
const lotOf = (ids: readonly number[]) => hash('sha256', String(ids[0]));

/**
 * Divides whole conversations, because a model that has learned half of one knows what the other half is about. This is
 * the division nearest to the share; the same examples are divided the same way each time.
 */
export function splitByConversation(examples: readonly IncludedExample[], share: number): DatasetSplit {
  const byConversation = Map.groupBy(examples, ({ conversation }) => conversation);
  const conversations = [...byConversation.values()]
    .map((members) => members.map(({ id }) => id))
    .map((ids) => ({ ids, lot: lotOf(ids) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1));
  const wanted = Math.max(1, Math.round(examples.length * share));
  const sizes = conversations.map(({ ids }) => ids.length);
  const chosen = new Set(nearest(sizes, wanted).flatMap((index) => conversations[index]?.ids ?? []));
  return {
    conversations: conversations.length,
    training: examples.filter(({ id }) => !chosen.has(id)).map(({ id }) => id),
    validation: examples.filter(({ id }) => chosen.has(id)).map(({ id }) => id),
  };
}

/**
 * The sizes whose sum is nearest to the wanted one, without being all; none if there are fewer than two. Sums are built
 * from the first size on, so that the choice is a sample and not the smallest sizes.
 */
function nearest(sizes: readonly number[], wanted: number): number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const none = -1;
  /** The size that reached each sum first: the sum without it was reached before. */
  const reachedWith = new Int32Array(total).fill(none);
  const isReached = (sum: number) => sum === 0 || (reachedWith[sum] ?? none) !== none;
  let most = 0;
  for (const [index, size] of sizes.entries()) {
    most = Math.min(most + size, total - 1);
    for (let sum = most; sum >= size; sum--) if (!isReached(sum) && isReached(sum - size)) reachedWith[sum] = index;
    if (isReached(wanted)) break;
  }
  const chosen: number[] = [];
  for (let sum = nearestOf(isReached, wanted, total); sum > 0; ) {
    const index = reachedWith[sum] ?? none;
    chosen.push(index);
    sum -= sizes[index] ?? sum;
  }
  return chosen;
}

/** The nearest reached sum between nothing and all, of two the smaller one; 0 if there is none. */
function nearestOf(isReached: (sum: number) => boolean, wanted: number, total: number): number {
  for (let distance = 0; distance < total; distance++)
    for (const sum of [wanted - distance, wanted + distance]) if (sum > 0 && sum < total && isReached(sum)) return sum;
  return 0;
}
