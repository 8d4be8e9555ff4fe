import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

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

/**
 * Keeps the end of a scrolled area in view while it grows, but only for a reader who is at the end. What a person
 * scrolls up stops the auto-scroll; what moves because sizes become known does not.
 */
export function useAutoScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): AutoScroll {
  const isOn = useRef(true);
  const lastTop = useRef(0);
  const byHandUntil = useRef(0);
  /** Told to stay: a list that is still being measured may look as if this were its end. Until a hand moves it. */
  const stays = useRef(false);
  /** A pointer is held down on something inside: if it moved away, the press would be lost. */
  const isPressed = useRef(false);
  const [isAway, setIsAway] = useState(false);

  const pin = useCallback(() => {
    const area = scroller.current;
    if (!area) return;
    if (isOn.current && !isPressed.current) {
      area.scrollTop = area.scrollHeight;
      lastTop.current = area.scrollTop;
    }
    setIsAway(!isOn.current && distanceToEnd(area) > farFromEnd);
  }, [scroller]);

  useEffect(() => {
    const area = scroller.current;
    if (!area) return;
    const onScroll = () => {
      const distance = distanceToEnd(area);
      if (distance <= atEnd && !stays.current) isOn.current = true;
      else if (area.scrollTop < lastTop.current - 1 && performance.now() < byHandUntil.current) isOn.current = false;
      lastTop.current = area.scrollTop;
      setIsAway(!isOn.current && distance > farFromEnd);
    };
    const byHand = ({ type }: Event) => {
      stays.current = false;
      byHandUntil.current = performance.now() + (type === 'pointerdown' ? byScrollbarFor : byHandFor);
    };
    const leaving = new AbortController();
    const options = { passive: true, signal: leaving.signal };
    const press = ({ target, button, pointerType }: PointerEvent) => {
      // The scrollbar belongs to the area itself. What a finger holds it scrolls.
      if (target === area || button !== 0 || pointerType === 'touch') return;
      isPressed.current = true;
      const released = new AbortController();
      const release = () => {
        released.abort();
        isPressed.current = false;
        // After the click that the release makes.
        requestAnimationFrame(pin);
      };
      for (const type of ['pointerup', 'pointercancel', 'contextmenu', 'blur'])
        window.addEventListener(type, release, { signal: AbortSignal.any([released.signal, leaving.signal]) });
    };
    area.addEventListener('scroll', onScroll, options);
    area.addEventListener('pointerdown', press, options);
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) area.addEventListener(type, byHand, options);
    return () => leaving.abort();
  }, [scroller, pin]);

  // The observer runs before the frame is painted, so what was added is never seen below the edge first.
  useEffect(() => {
    const observer = new ResizeObserver(pin);
    for (const element of [scroller.current, content.current]) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, content, pin]);

  const goToEnd = useCallback(() => {
    isOn.current = true;
    stays.current = false;
    pin();
  }, [pin]);
  const stay = useCallback(() => {
    isOn.current = false;
    stays.current = true;
  }, []);
  return { isAway, goToEnd, stay };
}

const distanceToEnd = (area: HTMLElement) => area.scrollHeight - area.scrollTop - area.clientHeight;
