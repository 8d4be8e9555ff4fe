import { type RefObject, useLayoutEffect, useState } from 'react';

type Edge = 'bottom' | 'top';
type Area = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right'>;

/** Toasts must not cover these: results that the page shows itself, and the field or button in use. */
function protectedAreas(): DOMRect[] {
  const results = [...document.querySelectorAll('main :is([role=status], [role=alert])')];
  const focused = document.activeElement?.closest('main input, main textarea, main button');
  const areas = (focused ? [...results, focused] : results).map((part) => part.getBoundingClientRect());
  // Texts for screen readers alone are a pixel large.
  return areas.filter(({ width, height }) => width > 1 && height > 1);
}

const overlap = (one: Area, other: Area) =>
  one.top < other.bottom && other.top < one.bottom && one.left < other.right && other.left < one.right;

/**
 * The edge of the window at which toasts cover no result: the bottom, or the top if only that is free. They stay there
 * until the last one is gone, so that none moves twice. `newest` identifies the newest toast.
 */
export function useToastEdge(list: RefObject<HTMLElement | null>, newest: number | undefined): Edge {
  const [edge, setEdge] = useState<Edge>('bottom');
  useLayoutEffect(() => {
    if (newest === undefined) {
      setEdge('bottom');
      return;
    }
    if (edge === 'top') return;
    const check = () => {
      const own = list.current?.getBoundingClientRect();
      if (!own) return;
      const atTop = { top: 0, bottom: own.height, left: own.left, right: own.right };
      const areas = protectedAreas();
      if (areas.some((area) => overlap(area, own)) && !areas.some((area) => overlap(area, atTop))) setEdge('top');
    };
    check();
    // The result may come after its toast.
    const observer = new MutationObserver(check);
    const main = document.querySelector('main');
    if (main) observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [list, newest, edge]);
  return edge;
}
