import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { valueTicks } from '#web/ui/charts/ticks.ts';
import { classNames } from '#web/ui/class-names.ts';
import { useWidth } from '#web/ui/use-width.ts';
import { Axes } from './axes.tsx';
import { height, plot } from './frame.ts';
import { type Line, lineStyles } from './line.ts';
import { Lines } from './lines.tsx';
import { Readout } from './readout.tsx';

const nameHeight = 16;

/** Names at the ends of their lines, moved apart if they would overlap. */
function Names({ lines, x, toY }: { lines: readonly Line[]; x: number; toY: (y: number) => number }) {
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

type LineChartProps = {
  /** Accessible name of the chart. */
  label: string;
  lines: readonly Line[];
  /** Unit of the x axis, such as 'Step'. */
  xName: string;
  formatX: (x: number) => string;
  formatY: (y: number) => string;
  /** Formats a tick of the y axis. */
  formatTick: (y: number) => string;
  /** Minimum end of the x axis, such as the last step of a training. */
  xEnd?: number | undefined;
  /** Shown over the axes while there is no data. */
  emptyText: string;
};

/** Minimum width for line names beside the chart; below that they are only in the legend. */
const roomForNames = 560;
const namesWidth = 132;

/** Index of the value nearest to `x` in an ascending list. */
function nearest(xs: readonly number[], x: number): number {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const [right, left] = [xs[low], xs[low - 1]];
  return right !== undefined && left !== undefined && x - left < right - x ? low - 1 : low;
}

type Drawn = Pick<LineChartProps, 'lines' | 'xEnd' | 'formatTick'> & { xs: readonly number[]; width: number };

/** Computes the axes and the functions from values to pixels. */
function scalesOf({ lines, xs, width, xEnd, formatTick }: Drawn) {
  const isEmpty = xs.length === 0;
  const most = lines.reduce((max, { points }) => points.reduce((top, { y }) => Math.max(top, y), max), 0);
  const ticks = valueTicks(isEmpty ? 0 : most, 5);
  const axisWidth = Math.max(...ticks.map((tick) => formatTick(tick).length)) * 7 + 12;
  const hasNames = width >= roomForNames && !isEmpty;
  const right = Math.max(axisWidth + 1, width - (hasNames ? namesWidth : 8));
  const first = Math.min(0, xs[0] ?? 0);
  const last = Math.max(xEnd ?? 0, xs.at(-1) ?? 0, first + 1);
  const top = ticks.at(-1) ?? 1;
  const toX = (x: number) => axisWidth + ((x - first) / (last - first)) * (right - axisWidth);
  const toY = (y: number) => plot.bottom - (y / top) * (plot.bottom - plot.top);
  const lastMeasured = xs.at(-1) ?? last;
  return { ticks, axisWidth, hasNames, right, first, last, lastMeasured, top, toX, toY };
}
type Scale = ReturnType<typeof scalesOf>;

/** Index that a key moves to among `count` measurements; undefined for other keys. */
function nextMeasurement(key: string, at: number, count: number): number | undefined {
  const page = Math.max(1, Math.round(count / 10));
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + page,
    PageDown: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

type Value = { line: Line; point: Line['points'][number] | undefined };
const valuesAt = (lines: readonly Line[], x: number): Value[] =>
  lines.map((line) => ({ line, point: line.points.find((point) => point.x === x) }));

/** The measurement selected by pointer or keyboard; the latest if there is none. */
function usePointed({ xs, first, last, axisWidth, right }: Scale & { xs: readonly number[] }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const at = pointed === null ? xs.length - 1 : Math.min(pointed, xs.length - 1);
  const keyDown = (event: KeyboardEvent) => {
    const next = nextMeasurement(event.key, at, xs.length);
    if (next === undefined) return;
    event.preventDefault();
    setPointed(next);
  };
  const pointAt = (event: PointerEvent<HTMLElement>) => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const x = first + ((offset - axisWidth) / (right - axisWidth)) * (last - first);
    if (xs.length > 0) setPointed(nearest(xs, x));
  };
  const leave = () => setPointed(null);
  const events = {
    onKeyDown: keyDown,
    onPointerMove: pointAt,
    onPointerDown: pointAt,
    onPointerLeave: leave,
    onBlur: leave,
  };
  return { at, isPointed: pointed !== null, events };
}

/**
 * A line chart with linear axes and one tab stop: arrow keys, Page Up/Down, Home and End move between measurements,
 * whose values are shown above the lines and announced. The pointer does the same.
 */
export function LineChart({ label, lines, xName, formatX, formatY, formatTick, xEnd, emptyText }: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const xs = useMemo(
    () => [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b),
    [lines],
  );
  const scale = scalesOf({ lines, xs, width, xEnd, formatTick });
  const { at, isPointed, events } = usePointed({ xs, ...scale });
  const x = xs[at];
  const spokenAt = (shown: number) => [
    `${xName} ${formatX(shown)}`,
    ...valuesAt(lines, shown).flatMap(({ line, point }) => (point ? [`${line.name} ${formatY(point.y)}`] : [])),
  ];

  return (
    <div>
      <Readout lines={lines} xName={xName} x={x} isLatest={!isPointed} formatX={formatX} formatY={formatY} />
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, xs.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={x === undefined ? emptyText : spokenAt(x).join(', ')}
        aria-orientation="horizontal"
        {...events}
        // Coordinates count from the left.
        dir="ltr"
        className="relative h-60 touch-pan-y rounded-sm"
      >
        <Plot {...{ lines, width, scale, formatX, formatTick, xName }} pointed={isPointed ? x : undefined} />
        {xs.length === 0 && (
          <p className="pointer-events-none absolute inset-x-0 top-0 bottom-7 flex items-center justify-center px-12 text-center text-muted-foreground text-sm">
            <span className="bg-card px-2 py-1">{emptyText}</span>
          </p>
        )}
      </div>
    </div>
  );
}

type PlotProps = Pick<LineChartProps, 'lines' | 'formatX' | 'formatTick' | 'xName'> & {
  width: number;
  scale: Scale;
  pointed: number | undefined;
};

function Plot({ lines, width, scale, formatX, formatTick, xName, pointed }: PlotProps) {
  const { ticks, axisWidth, hasNames, right, first, last, lastMeasured, top, toX, toY } = scale;
  return (
    <svg aria-hidden="true" width={width} height={height} className="block">
      <Axes {...{ ticks, axisWidth, right, first, last, toX, toY, formatX, formatTick, xName }} />
      {width > 0 && <Lines lines={lines} scale={`${first} ${last} ${top} ${axisWidth} ${right}`} {...{ toX, toY }} />}
      {hasNames && <Names lines={lines} x={toX(lastMeasured) + 8} toY={toY} />}
      {pointed !== undefined && <Crosshair x={toX(pointed)} values={valuesAt(lines, pointed)} toY={toY} />}
    </svg>
  );
}

type CrosshairProps = {
  x: number;
  values: readonly Value[];
  toY: (y: number) => number;
};

/** Marks the selected measurement. */
function Crosshair({ x, values, toY }: CrosshairProps) {
  return (
    <g>
      <line x1={x} x2={x} y1={plot.top} y2={plot.bottom} strokeWidth={1} className="stroke-muted-foreground" />
      {values.map(
        ({ line, point }) =>
          point && (
            <circle
              key={line.key}
              cx={x}
              cy={toY(point.y)}
              r={4}
              strokeWidth={2}
              className={classNames('stroke-card', lineStyles[line.look].fill)}
            />
          ),
      )}
    </g>
  );
}
