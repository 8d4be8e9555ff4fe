import { type RefObject, useCallback, useEffect, useState } from 'react';
import { deferWhilePressed } from '#web/lib/keyboard/defer-while-pressed.ts';

/** Maximum distance in pixels that counts as being at the end. */
const atEnd = 8;
/** Distance in pixels from which the button to the latest message is shown. */
const farFromEnd = 160;

export type AutoScroll = {
  /** True if the button should be shown. */
  isAway: boolean;
  /** Scrolls to the end and follows it. */
  goToEnd: () => void;
  /** Stops following, whatever arrives. */
  stay: () => void;
};

/** Milliseconds after wheel, key or touch input during which scrolling counts as the user's. */
const byHandFor = 1500;
/** A scroll bar may be held for longer. */
const byScrollbarFor = 30_000;

/** Scroll state of an area. */
type ScrollState = {
  isOn: boolean;
  lastTop: number;
  byHandUntil: number;
  /** Told to stay: while a list is still being measured, any position may look like the end. Reset by user input. */
  stays: boolean;
};

const isFarAway = (area: HTMLElement, { isOn }: ScrollState) => !isOn && distanceToEnd(area) > farFromEnd;

/** Decides after any scrolling whether to keep following the end. */
function trackScroll(area: HTMLElement, reader: ScrollState) {
  if (distanceToEnd(area) <= atEnd && !reader.stays) reader.isOn = true;
  else if (area.scrollTop < reader.lastTop - 1 && performance.now() < reader.byHandUntil) reader.isOn = false;
  reader.lastTop = area.scrollTop;
}

/** Records user input that scrolls, until `signal` aborts. */
function trackUserInput(area: HTMLElement, reader: ScrollState, signal: AbortSignal) {
  const byHand = ({ type }: Event) => {
    reader.stays = false;
    reader.byHandUntil = performance.now() + (type === 'pointerdown' ? byScrollbarFor : byHandFor);
  };
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    area.addEventListener(type, byHand, { passive: true, signal });
}

/** Clicks and keys that make an answer longer: disclosures, and what `data-unfolds` surrounds. */
const unfolding = { click: 'summary, [data-unfolds] button', keydown: '[data-unfolds] [role="tab"]' };

/** Stops following when the user expands something, so that its line stays in place and the content grows downwards. */
function trackExpansion({ target }: Event, pressed: string, reader: ScrollState) {
  if (target instanceof Element && target.closest(pressed)) Object.assign(reader, { isOn: false, stays: true });
}

/**
 * Keeps the end of an area in view while it grows, but only for a user who is at the end. Scrolling up stops it;
 * movement from late layout does not.
 */
export function useAutoScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): AutoScroll {
  const [reader] = useState<ScrollState>(() => ({
    isOn: true,
    lastTop: 0,
    byHandUntil: 0,
    stays: false,
  }));
  const [isAway, setIsAway] = useState(false);

  const pin = useCallback(() => {
    const area = scroller.current;
    if (!area) return;
    if (reader.isOn) {
      area.scrollTop = area.scrollHeight;
      reader.lastTop = area.scrollTop;
    }
    setIsAway(isFarAway(area, reader));
  }, [scroller, reader]);
  const pinAfterPress = useCallback(() => deferWhilePressed(pin), [pin]);

  useEffect(() => {
    const area = scroller.current;
    if (!area) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const onScroll = () => {
      trackScroll(area, reader);
      setIsAway(isFarAway(area, reader));
    };
    area.addEventListener('scroll', onScroll, { passive: true, signal });
    for (const [type, pressed] of Object.entries(unfolding))
      area.addEventListener(type, (event) => trackExpansion(event, pressed, reader), { signal });
    trackUserInput(area, reader, signal);
    return () => leaving.abort();
  }, [scroller, reader]);

  // Observers run before paint, so new content never appears below the edge first.
  useEffect(() => {
    const observer = new ResizeObserver(pinAfterPress);
    for (const element of [scroller.current, content.current]) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, content, pinAfterPress]);

  const goToEnd = useCallback(() => {
    Object.assign(reader, { isOn: true, stays: false });
    pin();
  }, [reader, pin]);
  const stay = useCallback(() => void Object.assign(reader, { isOn: false, stays: true }), [reader]);
  return { isAway, goToEnd, stay };
}

const distanceToEnd = (area: HTMLElement) => area.scrollHeight - area.scrollTop - area.clientHeight;
