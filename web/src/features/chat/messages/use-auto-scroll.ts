import { type RefObject, useCallback, useEffect, useState } from 'react';
import { deferWhilePressed } from '#web/lib/defer-while-pressed.ts';

/** Within this many pixels of the end, the reader is at the end. */
const atEnd = 8;
/** Further from the end than this, the way back is offered. */
const farFromEnd = 160;

export type AutoScroll = {
  /** The reader is away from the end. */
  isAway: boolean;
  /** Goes to the end and stays there. */
  goToEnd: () => void;
  /** Stays where it is, whatever arrives. */
  stay: () => void;
};

/** How long after a touch of wheel, key or finger a movement still comes from it. */
const byHandFor = 1500;
/** A scrollbar may be held for long. */
const byScrollbarFor = 30_000;

/** How its reader stands to a scrolled area. */
type ScrollState = {
  isOn: boolean;
  lastTop: number;
  byHandUntil: number;
  /** Told to stay: a list that is still being measured may look as if this were its end. Until a hand moves it. */
  stays: boolean;
};

const isFarAway = (area: HTMLElement, { isOn }: ScrollState) => !isOn && distanceToEnd(area) > farFromEnd;

/** Whether it goes on scrolling by itself, after the area has been scrolled by anything. */
function trackScroll(area: HTMLElement, reader: ScrollState) {
  if (distanceToEnd(area) <= atEnd && !reader.stays) reader.isOn = true;
  else if (area.scrollTop < reader.lastTop - 1 && performance.now() < reader.byHandUntil) reader.isOn = false;
  reader.lastTop = area.scrollTop;
}

/** Notes which movements come from a hand, until `signal` ends it. */
function trackUserInput(area: HTMLElement, reader: ScrollState, signal: AbortSignal) {
  const byHand = ({ type }: Event) => {
    reader.stays = false;
    reader.byHandUntil = performance.now() + (type === 'pointerdown' ? byScrollbarFor : byHandFor);
  };
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    area.addEventListener(type, byHand, { passive: true, signal });
}

/** Presses that make an answer longer: lines that unfold, and what else `data-unfolds` is around. */
const unfolding = { click: 'summary, [data-unfolds] button', keydown: '[data-unfolds] [role="tab"]' };

/** What is unfolded is what its reader wants to see: it grows downwards, and its line stays where it was. */
function trackExpansion({ target }: Event, pressed: string, reader: ScrollState) {
  if (target instanceof Element && target.closest(pressed)) Object.assign(reader, { isOn: false, stays: true });
}

/**
 * Keeps the end of a scrolled area in view while it grows, but only for a reader who is at the end. What a person
 * scrolls up stops the auto-scroll; what moves because sizes become known does not.
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

  // The observer runs before the frame is painted, so what was added is never seen below the edge first.
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
