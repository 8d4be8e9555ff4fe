/** How many places a message has. */
export type MessageHits = { messageId: number; count: number };

/** One of a message's places: its first is 0. */
export type Place = { messageId: number; nth: number };

/** Ids grow along a branch, so they are its order. */
export const sortHits = (places: Iterable<MessageHits>): MessageHits[] =>
  [...places].filter(({ count }) => count > 0).sort((a, b) => a.messageId - b.messageId);

export const countHits = (places: readonly MessageHits[]): number => places.reduce((sum, { count }) => sum + count, 0);

/** The number of a place among all, from 1; 0: it is none of them. */
export function hitNumber(places: readonly MessageHits[], place: Place | null): number {
  let before = 0;
  for (const { messageId, count } of places) {
    if (messageId === place?.messageId) return place.nth < count ? before + place.nth + 1 : 0;
    before += count;
  }
  return 0;
}

/** The first place from a message on, else the last one before it. */
export function nearestHit(places: readonly MessageHits[], messageId: number): Place | null {
  const at = places.find((each) => each.messageId >= messageId);
  if (at) return { messageId: at.messageId, nth: 0 };
  const last = places.at(-1);
  return last ? { messageId: last.messageId, nth: last.count - 1 } : null;
}

/** The next place, or the one before; from the end it goes on at the other end. */
export function nextHit(places: readonly MessageHits[], from: Place, direction: 1 | -1): Place | null {
  const own = places.find(({ messageId }) => messageId === from.messageId);
  const nth = from.nth + direction;
  if (own && nth >= 0 && nth < own.count) return { messageId: own.messageId, nth };
  const next =
    direction === 1
      ? (places.find(({ messageId }) => messageId > from.messageId) ?? places[0])
      : (places.findLast(({ messageId }) => messageId < from.messageId) ?? places.at(-1));
  return next ? { messageId: next.messageId, nth: direction === 1 ? 0 : next.count - 1 } : null;
}
