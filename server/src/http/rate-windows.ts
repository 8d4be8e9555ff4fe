/** Uses since `endsAt` minus the length; `parts` count for themselves, up to a number of them. */
type Window = { endsAt: number; used: number; parts: Map<string, number> | undefined };

type Place = {
  id: string;
  /** Whose room it takes: where there is none left, the group that has most gives some up. */
  group: string;
  /** A part of what `id` names, which has a count of its own as long as there are few. */
  part: string | undefined;
};
type Limit = { count: number; lengthMs: number };

/** Above this the parts of one site are counted together. */
const partsAtMost = 10;
const lookForEndedMs = 5_000;

const usedOf = (window: Window, part: string | undefined) =>
  part === undefined ? window.used : (window.parts?.get(part) ?? 0);

/** How many uses are left, and for how long. */
function standingOf(window: Window | undefined, { part }: Place, count: number, now: number) {
  if (!window) return { remaining: count, resetMs: 0 };
  const used = usedOf(window, window.parts?.has(part ?? '') ? part : undefined);
  return { remaining: Math.max(0, count - used), resetMs: window.endsAt - now };
}

const sizeOf = ({ parts }: Window) => 1 + (parts?.size ?? 0);

/**
 * Windows within a bound that no sender can turn against others: once it is reached, the oldest window of the group with
 * most of them is forgotten, which is a group of the sender's own, and no request is refused for want of room.
 */
export function createWindows(capacity: number, now: () => number) {
  const groups = new Map<string, Map<string, Window>>();
  const sizes = groupSizes();
  let total = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function grow(group: string, by: number) {
    total += by;
    sizes.change(group, by);
  }

  function remove(group: string, id: string) {
    const windows = groups.get(group);
    const window = windows?.get(id);
    if (!windows || !window) return;
    windows.delete(id);
    if (windows.size === 0) groups.delete(group);
    grow(group, -sizeOf(window));
  }

  function forgetEnded() {
    if (now() - lookedAt < lookForEndedMs) return;
    lookedAt = now();
    for (const [group, windows] of groups)
      for (const [id, { endsAt }] of windows) if (endsAt <= lookedAt) remove(group, id);
  }

  /** For a window and a part of it. */
  function makeRoom() {
    if (total + 2 <= capacity) return;
    forgetEnded();
    while (total + 2 > capacity) {
      const group = sizes.largest();
      const oldest = group === undefined ? undefined : groups.get(group)?.keys().next().value;
      if (group === undefined || oldest === undefined) return;
      remove(group, oldest);
    }
  }

  function live({ group, id }: Place): Window | undefined {
    const window = groups.get(group)?.get(id);
    return window && window.endsAt > now() ? window : undefined;
  }

  function opened(place: Place, lengthMs: number): Window {
    const known = live(place);
    if (known) return known;
    const { group, id } = place;
    remove(group, id);
    const fresh = { endsAt: now() + lengthMs, used: 0, parts: undefined };
    const windows = groups.get(group) ?? new Map<string, Window>();
    groups.set(group, windows.set(id, fresh));
    grow(group, 1);
    return fresh;
  }

  /** The part, while it has a count of its own. */
  function ownPart(window: Window, { part, group }: Place): string | undefined {
    if (part === undefined) return undefined;
    window.parts ??= new Map();
    if (window.parts.has(part)) return part;
    if (window.parts.size >= partsAtMost) return undefined;
    window.parts.set(part, 0);
    grow(group, 1);
    return part;
  }

  const set = (window: Window, part: string | undefined, used: number) => {
    if (part === undefined) window.used = used;
    else window.parts?.set(part, used);
  };

  return {
    counter: (place: Place, { count, lengthMs }: Limit) => ({
      /** Counts one use. Returns how long to wait where there were enough. */
      use(): number {
        makeRoom();
        const window = opened(place, lengthMs);
        const part = ownPart(window, place);
        const used = usedOf(window, part);
        if (used >= count) return window.endsAt - now();
        set(window, part, used + 1);
        return 0;
      },
      standing: () => standingOf(live(place), place, count, now()),
      giveBack() {
        const window = live(place);
        if (!window) return;
        const part = window.parts?.has(place.part ?? '') ? place.part : undefined;
        set(window, part, Math.max(0, usedOf(window, part) - 1));
      },
      forget() {
        const window = live(place);
        if (!window) return;
        if (place.part === undefined) remove(place.group, place.id);
        else if (window.parts?.has(place.part)) window.parts.set(place.part, 0);
      },
    }),
    size: () => total,
  };
}

/** Which group is the largest, without looking at all of them. */
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
