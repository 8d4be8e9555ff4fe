import { type RefObject, useLayoutEffect } from 'react';
import { type Align, mirrorPlacement, placeBeside, type Side } from './placement.ts';

type Placed = {
  /** The floating element; must be `position: fixed`. */
  box: RefObject<HTMLElement | null>;
  anchor: () => Element | null;
  side: Side;
  align: Align;
  gap: number;
};

/** Keeps a floating element next to its anchor as either moves; placed before the first paint. */
export function usePlacement({ box, anchor, side, align, gap }: Placed): void {
  useLayoutEffect(() => {
    const place = () => {
      const element = box.current;
      const beside = anchor()?.getBoundingClientRect();
      if (!element || !beside) return;
      // Size without the entrance animation, which getBoundingClientRect would include.
      const size = { width: element.offsetWidth, height: element.offsetHeight };
      const { clientWidth: width, clientHeight: height } = document.documentElement;
      const isMirrored = getComputedStyle(document.documentElement).direction === 'rtl';
      const wish = { side, align, gap };
      const { left, top } = placeBeside(beside, size, { width, height }, isMirrored ? mirrorPlacement(wish) : wish);
      element.style.left = `${left}px`;
      element.style.top = `${top}px`;
    };
    place();
    window.addEventListener('resize', place);
    window.addEventListener('scroll', place, { capture: true, passive: true });
    return () => {
      window.removeEventListener('resize', place);
      window.removeEventListener('scroll', place, { capture: true });
    };
  });
}
