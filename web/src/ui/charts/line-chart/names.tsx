import { classNames } from '#web/ui/class-names.ts';
import { plot } from './frame.ts';
import { type Line, lineStyles } from './line.ts';

const nameHeight = 16;

/** Names at the ends of their lines, moved apart if they would overlap. */
export function Names({ lines, x, toY }: { lines: readonly Line[]; x: number; toY: (y: number) => number }) {
  const ends = lines
    .flatMap(({ key, name, look, points }) => {
      const end = points.at(-1);
      return end ? [{ key, name, look, y: toY(end.y) }] : [];
    })
    .sort((a, b) => a.y - b.y);
  let free = plot.top;
  const placed = ends.map((end) => {
    const y = Math.max(end.y, free);
    free = y + nameHeight;
    return { ...end, y };
  });
  // Shift names pushed below the axis back up together.
  const over = Math.max(0, free - nameHeight - plot.bottom);
  return placed.map(({ key, name, look, y }) => (
    <text key={key} x={x} y={y - over} dy="0.32em" className={classNames('font-medium text-xs', lineStyles[look].text)}>
      {name}
    </text>
  ));
}
