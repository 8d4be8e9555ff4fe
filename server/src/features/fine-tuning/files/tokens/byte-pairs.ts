import { minHeap } from './min-heap.ts';
import { hashOf, noToken, type TokenTable } from './token-table.ts';

/**
 * Byte pair encoding: merges the neighbors that make the earliest token, the first of several, until no two make one. A
 * heap says which these are: looking through all of them each time would take most of the time for text of three bytes
 * a letter.
 */
export function createPairMerger({ joinedHash, rankOf }: TokenTable, most: number) {
  /** A part is named by its start. */
  const next = new Int32Array(most + 1);
  const previous = new Int32Array(most + 1);
  const hashes = new Int32Array(most + 1);
  /** Rank of the token that a part makes with the next one. */
  const joined = new Int32Array(most + 1);
  /** Rank of each pair and, for equal ranks, its place. Outdated entries are skipped when they come up. */
  const heap = minHeap(3 * most + 1);

  function note(part: number, bytes: Uint8Array, length: number) {
    const middle = next[part] ?? length;
    if (middle >= length) {
      joined[part] = noToken;
      return;
    }
    const end = next[middle] ?? length;
    const hash = joinedHash(hashes[part] ?? 0, hashes[middle] ?? 0, end - middle);
    const rank = rankOf(hash, bytes, part, end);
    joined[part] = rank;
    if (rank !== noToken) heap.push(rank * most + part);
  }

  /** Joins a part with the next one, and updates what it and its predecessor make now. */
  function join(part: number, bytes: Uint8Array, length: number) {
    const merged = next[part] ?? length;
    const end = next[merged] ?? length;
    hashes[part] = joinedHash(hashes[part] ?? 0, hashes[merged] ?? 0, end - merged);
    joined[merged] = noToken;
    next[part] = end;
    if (end < length) previous[end] = part;
    note(part, bytes, length);
    const before = previous[part] ?? -1;
    if (before >= 0) note(before, bytes, length);
  }

  /** Number of tokens in the first `length` bytes. */
  return (bytes: Uint8Array, length: number): number => {
    heap.clear();
    for (let part = 0; part < length; part++) {
      next[part] = part + 1;
      previous[part] = part - 1;
      hashes[part] = hashOf(bytes[part] ?? 0);
    }
    for (let part = 0; part < length; part++) note(part, bytes, length);
    let parts = length;
    for (let key = heap.pop(); key !== undefined; key = heap.pop()) {
      const rank = Math.floor(key / most);
      const part = key - rank * most;
      if (joined[part] !== rank) continue;
      join(part, bytes, length);
      parts--;
    }
    return parts;
  };
}
