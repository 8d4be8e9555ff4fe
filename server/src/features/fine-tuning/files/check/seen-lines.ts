import type { ContentKey } from './json-line.ts';

/**
 * Remembers on which line a content occurred, in 12 bytes each: a map of objects would take ten times that, and a file
 * can have a million lines. Two different examples are taken for the same about once in 10^8 such files.
 */
export function seenLines() {
  let size = 0;
  let slots = 1024;
  let highs = new Uint32Array(slots);
  let lows = new Uint32Array(slots);
  let lines = new Uint32Array(slots);

  /** Slot of this content, or a free one for it. Lines are counted from 1: 0 is free. */
  function slotOf({ high, low }: ContentKey): number {
    let slot = low & (slots - 1);
    while (lines[slot] !== 0 && (highs[slot] !== high || lows[slot] !== low)) slot = (slot + 1) & (slots - 1);
    return slot;
  }

  function put(slot: number, { high, low }: ContentKey, line: number) {
    highs[slot] = high;
    lows[slot] = low;
    lines[slot] = line;
  }

  function grow() {
    const old = { highs, lows, lines };
    slots *= 2;
    highs = new Uint32Array(slots);
    lows = new Uint32Array(slots);
    lines = new Uint32Array(slots);
    for (const [index, line] of old.lines.entries()) {
      if (line === 0) continue;
      const key = { high: old.highs[index] ?? 0, low: old.lows[index] ?? 0 };
      put(slotOf(key), key, line);
    }
  }

  return {
    /** The line on which the content occurred first; undefined if it is new, and now added. */
    add(key: ContentKey, line: number): number | undefined {
      const slot = slotOf(key);
      const earlier = lines[slot];
      if (earlier) return earlier;
      put(slot, key, line);
      size++;
      if (size > slots * 0.6) grow();
      return undefined;
    },
    find: (key: ContentKey): number | undefined => lines[slotOf(key)] || undefined,
  };
}

export type SeenLines = ReturnType<typeof seenLines>;
