/** The uses in a window that ends at `endsAt`; a limited number of `parts` are counted separately. */
type Window = { endsAt: number; used: number; parts: Map<string, number> | undefined };

export type Place = {
  id: string;
  /** The memory budget it belongs to: when full, the largest group loses windows. */
  group: string;
  /** A part of `id`, counted separately while there are few. */
  part: string | undefined;
};
export type Limit = { count: number; lengthMs: number };

/** Above this number the parts of one site are counted together. */
export const maxParts = 10;
/** How often expired windows are swept: with room left, and without. */
const sweepMs = 60_000;
const sweepWithoutRoomMs = 5_000;

const sizeOf = ({ parts }: Window) => 1 + (parts?.size ?? 0);

/**
 * Windows in bounded memory that no sender can exhaust for others: when full, the oldest window of the largest group is
 * dropped, and that is the flooding sender's own group. No request is rejected for lack of memory.
 */
export class RateWindows {
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #groups = new Map<string, Map<string, Window>>();
  readonly #sizes = groupSizes();
  #total = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity;
    this.#now = now;
  }

  get size() {
    return this.#total;
  }

  /** Counts one use. Returns the time to wait if the limit is reached. */
  use(place: Place, { count, lengthMs }: Limit): number {
    this.#makeRoom();
    const window = this.#opened(place, lengthMs);
    const part = this.#ownPart(window, place);
    const used = usedOf(window, part);
    if (used >= count) return window.endsAt - this.#now();
    setUsed(window, part, used + 1);
    return 0;
  }

  /** The remaining uses, and the remaining time of the window. */
  standing(place: Place, { count }: Limit) {
    const window = this.#live(place);
    if (!window) return { remaining: count, resetMs: 0 };
    const used = usedOf(window, this.countedAs(place));
    return { remaining: Math.max(0, count - used), resetMs: window.endsAt - this.#now() };
  }

  giveBack(place: Place) {
    const window = this.#live(place);
    if (!window) return;
    const part = this.countedAs(place);
    setUsed(window, part, Math.max(0, usedOf(window, part) - 1));
  }

  /** The part if it is counted separately; undefined: it counts for its site. */
  countedAs(place: Place): string | undefined {
    return this.#live(place)?.parts?.has(place.part ?? '') ? place.part : undefined;
  }

  /** Takes over the count of all processes and the remaining time of its window. */
  learn(place: Place, part: string | undefined, { used, leftMs }: { used: number; leftMs: number }) {
    const window = this.#live(place);
    if (!window || (part !== undefined && !window.parts?.has(part))) return;
    setUsed(window, part, used);
    window.endsAt = this.#now() + leftMs;
  }

  forget(place: Place) {
    const window = this.#live(place);
    if (!window) return;
    if (place.part === undefined) this.#remove(place.group, place.id);
    else if (window.parts?.has(place.part)) window.parts.set(place.part, 0);
  }

  #grow(group: string, by: number) {
    this.#total += by;
    this.#sizes.change(group, by);
  }

  #remove(group: string, id: string) {
    const windows = this.#groups.get(group);
    const window = windows?.get(id);
    if (!windows || !window) return;
    windows.delete(id);
    if (windows.size === 0) this.#groups.delete(group);
    this.#grow(group, -sizeOf(window));
  }

  #forgetEnded(everyMs: number) {
    if (this.#now() - this.#lookedAt < everyMs) return;
    this.#lookedAt = this.#now();
    for (const [group, windows] of this.#groups)
      for (const [id, { endsAt }] of windows) if (endsAt <= this.#lookedAt) this.#remove(group, id);
  }

  /** Makes room for a window and one part. */
  #makeRoom() {
    this.#forgetEnded(this.#total + 2 <= this.#capacity ? sweepMs : sweepWithoutRoomMs);
    while (this.#total + 2 > this.#capacity) {
      const group = this.#sizes.largest();
      const oldest = group === undefined ? undefined : this.#groups.get(group)?.keys().next().value;
      if (group === undefined || oldest === undefined) return;
      this.#remove(group, oldest);
    }
  }

  #live({ group, id }: Place): Window | undefined {
    const window = this.#groups.get(group)?.get(id);
    return window && window.endsAt > this.#now() ? window : undefined;
  }

  #opened(place: Place, lengthMs: number): Window {
    const window = this.#live(place);
    if (window) return window;
    const { group, id } = place;
    this.#remove(group, id);
    const fresh = { endsAt: this.#now() + lengthMs, used: 0, parts: undefined };
    const windows = this.#groups.get(group) ?? new Map<string, Window>();
    this.#groups.set(group, windows.set(id, fresh));
    this.#grow(group, 1);
    return fresh;
  }

  /** The part if it is counted separately. */
  #ownPart(window: Window, { part, group }: Place): string | undefined {
    if (part === undefined) return undefined;
    window.parts ??= new Map();
    if (window.parts.has(part)) return part;
    if (window.parts.size >= maxParts) return undefined;
    window.parts.set(part, 0);
    this.#grow(group, 1);
    return part;
  }
}

function setUsed(window: Window, part: string | undefined, used: number) {
  if (part === undefined) window.used = used;
  else window.parts?.set(part, used);
}

const usedOf = (window: Window, part: string | undefined) =>
  part === undefined ? window.used : (window.parts?.get(part) ?? 0);

/** Finds the largest group without scanning all of them. */
function groupSizes() {
  const sizeOfGroup = new Map<string, number>();
  const bySize = new Map<number, Set<string>>();
  let largest = 0;

  return {
    change(group: string, by: number) {
      const before = sizeOfGroup.get(group) ?? 0;
      const after = before + by;
      const others = bySize.get(before);
      others?.delete(group);
      if (others?.size === 0) bySize.delete(before);
      if (after <= 0) sizeOfGroup.delete(group);
      else {
        sizeOfGroup.set(group, after);
        const same = bySize.get(after);
        if (same) same.add(group);
        else bySize.set(after, new Set([group]));
      }
      largest = Math.max(largest, after);
      while (largest > 0 && !bySize.has(largest)) largest--;
    },
    largest: (): string | undefined => bySize.get(largest)?.values().next().value,
  };
}
