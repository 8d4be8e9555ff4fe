import { type Line, lineStyles } from './line.ts';

type ReadoutProps = {
  lines: readonly Line[];
  xName: string;
  x: number | undefined;
  isLatest: boolean;
  formatX: (x: number) => string;
  formatY: (y: number) => string;
};

/** Line names with their values at the selected measurement, or the latest of each. */
export function Readout({ lines, xName, x, isLatest, formatX, formatY }: ReadoutProps) {
  return (
    <p
      aria-hidden="true"
      className="mb-2 flex min-h-6 flex-wrap items-center gap-x-5 gap-y-1 text-muted-foreground text-sm tabular-nums"
    >
      <span className="min-w-24 max-sm:w-full">{x === undefined ? `${xName} –` : `${xName} ${formatX(x)}`}</span>
      {lines.map(({ key, name, look, points }) => {
        const point = isLatest ? points.at(-1) : points.find((candidate) => candidate.x === x);
        return (
          <span key={key} className="inline-flex items-center gap-2">
            <svg aria-hidden="true" width={22} height={8} className="shrink-0">
              <line
                x1={1}
                x2={21}
                y1={4}
                y2={4}
                strokeWidth={2}
                strokeDasharray={lineStyles[look].dash}
                strokeLinecap="round"
                className={lineStyles[look].stroke}
              />
            </svg>
            {name}
            <span className="min-w-10 font-medium text-foreground">{point ? formatY(point.y) : '–'}</span>
          </span>
        );
      })}
    </p>
  );
}
