/** A heap of at most `most` numbers, which returns the smallest first. */
export function minHeap(most: number) {
  const heap = new Float64Array(most);
  let size = 0;

  return {
    clear() {
      size = 0;
    },

    push(key: number) {
      let at = size++;
      while (at > 0) {
        const above = (at - 1) >> 1;
        const upper = heap[above] ?? 0;
        if (upper <= key) break;
        heap[at] = upper;
        at = above;
      }
      heap[at] = key;
    },

    /** Returns undefined if it is empty. */
    pop(): number | undefined {
      if (size === 0) return undefined;
      const first = heap[0] ?? 0;
      const moved = heap[--size] ?? 0;
      let at = 0;
      for (;;) {
        let below = 2 * at + 1;
        if (below >= size) break;
        if (below + 1 < size && (heap[below + 1] ?? 0) < (heap[below] ?? 0)) below++;
        const lower = heap[below] ?? 0;
        if (lower >= moved) break;
        heap[at] = lower;
        at = below;
      }
      heap[at] = moved;
      return first;
    },
  };
}
