import { classNames } from '#web/ui/class-names.ts';
import { plot } from './frame.ts';
import { type Line, lineStyles } from './line.ts';

const nameHeight = 16;

/** At the end of each line its name, moved apart where two would lie over each other. */
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
  // What was moved beyond the axis goes back up as a whole.
  const over = Math.max(0, free - nameHeight - plot.bottom);
  return placed.map(({ key, name, look, y }) => (
    <text key={key} x={x} y={y - over} dy="0.32em" className={classNames('font-medium text-xs', lineStyles[look].text)}>
      {name}
    </text>
  ));
}
