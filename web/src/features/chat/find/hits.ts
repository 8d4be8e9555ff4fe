/** Number of hits in a message. */
export type MessageHits = { messageId: number; count: number };

/** A hit in a message; `nth` starts at 0. */
export type Place = { messageId: number; nth: number };

/** Ids ascend along a branch. */
export const sortHits = (places: Iterable<MessageHits>): MessageHits[] =>
  [...places].filter(({ count }) => count > 0).sort((a, b) => a.messageId - b.messageId);

export const countHits = (places: readonly MessageHits[]): number => places.reduce((sum, { count }) => sum + count, 0);

/** Number of a hit among all, starting at 1; 0 if it is not one of them. */
export function hitNumber(places: readonly MessageHits[], place: Place | null): number {
  let before = 0;
  for (const { messageId, count } of places) {
    if (messageId === place?.messageId) return place.nth < count ? before + place.nth + 1 : 0;
    before += count;
  }
  return 0;
}

/** The first hit at or after a message, else the last one before it. */
export function nearestHit(places: readonly MessageHits[], messageId: number): Place | null {
  const at = places.find((each) => each.messageId >= messageId);
  if (at) return { messageId: at.messageId, nth: 0 };
  const last = places.at(-1);
  return last ? { messageId: last.messageId, nth: last.count - 1 } : null;
}

/** The next or previous hit, wrapping around. */
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
