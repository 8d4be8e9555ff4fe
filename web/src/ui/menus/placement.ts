export type Side = 'top' | 'right' | 'bottom' | 'left';
export type Align = 'start' | 'center' | 'end';

type Box = { left: number; top: number; width: number; height: number };
type Size = { width: number; height: number };

type Wish = { side: Side; align: Align; gap: number };

/** Margin to the window's edges, in pixels. */
const edge = 8;
const opposite: Record<Side, Side> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' };

const others = { left: 'right', right: 'left', start: 'end', end: 'start' } as const;

/** The same placement on a right-to-left page. */
export const mirrorPlacement = ({ side, align, gap }: Wish): Wish =>
  side === 'left' || side === 'right'
    ? { side: others[side], align, gap }
    : { side, align: align === 'center' ? align : others[align], gap };

/**
 * Places a box next to an anchor: on the wanted side, or on the opposite one if only that has room, and never beyond
 * the window.
 */
export function placeBeside(
  anchor: Box,
  size: Size,
  window: Size,
  { side, align, gap }: Wish,
): { left: number; top: number } {
  const room: Record<Side, number> = {
    top: anchor.top,
    bottom: window.height - anchor.top - anchor.height,
    left: anchor.left,
    right: window.width - anchor.left - anchor.width,
  };
  const isUpright = side === 'top' || side === 'bottom';
  const needed = (isUpright ? size.height : size.width) + gap + edge;
  const chosen = room[side] < needed && room[opposite[side]] > room[side] ? opposite[side] : side;

  const along = (start: number, length: number, own: number) =>
    align === 'start' ? start : align === 'end' ? start + length - own : start + (length - own) / 2;
  const position: Record<Side, { left: number; top: number }> = {
    top: { left: along(anchor.left, anchor.width, size.width), top: anchor.top - gap - size.height },
    bottom: { left: along(anchor.left, anchor.width, size.width), top: anchor.top + anchor.height + gap },
    left: { left: anchor.left - gap - size.width, top: along(anchor.top, anchor.height, size.height) },
    right: { left: anchor.left + anchor.width + gap, top: along(anchor.top, anchor.height, size.height) },
  };
  const inside = (value: number, own: number, whole: number) => Math.max(edge, Math.min(value, whole - own - edge));
  return {
    left: Math.round(inside(position[chosen].left, size.width, window.width)),
    top: Math.round(inside(position[chosen].top, size.height, window.height)),
  };
}
