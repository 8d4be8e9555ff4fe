import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef, useState } from 'react';
import { valueTicks } from './chart-ticks.ts';
import { classNames } from './class-names.ts';
import { useWidth } from './use-width.ts';

export type LinePoint = { x: number; y: number };

/** Told apart by their dashes and dots as well as by their colours. */
export type LineLook = 'primary' | 'accent' | 'violet';

export type Line = {
  key: string;
  name: string;
  look: LineLook;
  /** From left to right. What was not measured at an x is left out, and the line goes on to the next point. */
  points: readonly LinePoint[];
};

type LineChartProps = {
  /** What the lines show; read out. */
  label: string;
  lines: readonly Line[];
  /** What the axis below counts, such as 'Step'. */
  xName: string;
  formatX: (x: number) => string;
  formatY: (y: number) => string;
  /** A round value on the axis. */
  formatTick: (y: number) => string;
  /** The lines end at least here, such as the step at which a training is done. */
  xEnd?: number | undefined;
  /** Over the axes while there is nothing to draw. */
  emptyText: string;
};

const height = 240;
const plot = { top: 12, bottom: height - 30 };
/** Under this width the names stand above the chart only. */
const roomForNames = 560;
const namesWidth = 132;
const nameHeight = 16;
/** From so many points on a thick line would be a band. */
const dense = 400;

const looks: Record<LineLook, { stroke: string; fill: string; text: string; dash: string | undefined }> = {
  primary: { stroke: 'stroke-primary', fill: 'fill-primary', text: 'fill-primary-text', dash: undefined },
  accent: { stroke: 'stroke-accent', fill: 'fill-accent', text: 'fill-accent-text', dash: '6 4' },
  violet: { stroke: 'stroke-violet', fill: 'fill-violet', text: 'fill-violet-text', dash: '1.5 4' },
};

/** The point of a line at or next to an x, and how far it is from there. */
function nearest(points: readonly LinePoint[], x: number): LinePoint | undefined {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const [right, left] = [points[low], points[low - 1]];
  if (!right || !left) return right ?? left;
  return x - left.x < right.x - x ? left : right;
}

/**
 * Lines over two linear axes. One tab stop: the arrow keys, Page Up and Down, Home and End go from measurement to
 * measurement, and what stands at one is written above the lines and read out. The pointer does the same.
 */
export function LineChart({ label, lines, xName, formatX, formatY, formatTick, xEnd, emptyText }: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [pointed, setPointed] = useState<number | null>(null);
  const xs = useMemo(
    () => [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b),
    [lines],
  );
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
  const at = pointed === null ? xs.length - 1 : Math.min(pointed, xs.length - 1);
  const shownX = xs[at];

  const valuesAt = (x: number) => lines.map((line) => ({ line, point: line.points.find((point) => point.x === x) }));
  const spoken =
    shownX === undefined
      ? emptyText
      : [
          `${xName} ${formatX(shownX)}`,
          ...valuesAt(shownX).flatMap(({ line, point }) => (point ? [`${line.name} ${formatY(point.y)}`] : [])),
        ].join(', ');

  const keyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.round(xs.length / 10));
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      PageUp: at + page,
      PageDown: at - page,
      Home: 0,
      End: xs.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setPointed(Math.max(0, Math.min(xs.length - 1, next)));
  };
  const pointAt = (event: PointerEvent<HTMLElement>) => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const x = first + ((offset - axisWidth) / (right - axisWidth)) * (last - first);
    const found = nearest(
      xs.map((value) => ({ x: value, y: 0 })),
      x,
    );
    if (found) setPointed(xs.indexOf(found.x));
  };

  return (
    <div>
      <Readout lines={lines} xName={xName} x={shownX} isLatest={pointed === null} formatX={formatX} formatY={formatY} />
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, xs.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={spoken}
        aria-orientation="horizontal"
        onKeyDown={keyDown}
        onPointerMove={pointAt}
        onPointerDown={pointAt}
        onPointerLeave={() => setPointed(null)}
        onBlur={() => setPointed(null)}
        className="relative h-60 touch-pan-y rounded-sm"
      >
        <svg aria-hidden="true" width={width} height={height} className="block">
          <Axes ticks={ticks} {...{ axisWidth, right, first, last, toX, toY, formatX, formatTick, xName }} />
          {width > 0 && (
            <Lines lines={lines} scale={`${first} ${last} ${top} ${axisWidth} ${right}`} {...{ toX, toY }} />
          )}
          {hasNames && <Names lines={lines} x={toX(xs.at(-1) ?? last) + 8} toY={toY} />}
          {pointed !== null && shownX !== undefined && (
            <g>
              <line
                x1={toX(shownX)}
                x2={toX(shownX)}
                y1={plot.top}
                y2={plot.bottom}
                strokeWidth={1}
                className="stroke-muted-foreground"
              />
              {valuesAt(shownX).map(
                ({ line, point }) =>
                  point && (
                    <circle
                      key={line.key}
                      cx={toX(point.x)}
                      cy={toY(point.y)}
                      r={4}
                      strokeWidth={2}
                      className={classNames('stroke-card', looks[line.look].fill)}
                    />
                  ),
              )}
            </g>
          )}
        </svg>
        {isEmpty && (
          <p className="pointer-events-none absolute inset-x-0 top-0 bottom-7 flex items-center justify-center px-12 text-center text-muted-foreground text-sm">
            <span className="bg-card px-2 py-1">{emptyText}</span>
          </p>
        )}
      </div>
    </div>
  );
}

type ReadoutProps = Pick<LineChartProps, 'lines' | 'xName' | 'formatX' | 'formatY'> & {
  x: number | undefined;
  isLatest: boolean;
};

/** The names of the lines with their values: those pointed at, else the latest of each. */
function Readout({ lines, xName, x, isLatest, formatX, formatY }: ReadoutProps) {
  return (
    <p
      aria-hidden="true"
      className="mb-2 flex min-h-6 flex-wrap items-center gap-x-5 gap-y-1 text-muted-foreground text-sm tabular-nums"
    >
      <span className="min-w-24">{x === undefined ? `${xName} –` : `${xName} ${formatX(x)}`}</span>
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
                strokeDasharray={looks[look].dash}
                strokeLinecap="round"
                className={looks[look].stroke}
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

type Scales = { toX: (x: number) => number; toY: (y: number) => number };
type AxesProps = Scales &
  Pick<LineChartProps, 'formatX' | 'formatTick' | 'xName'> & {
    ticks: readonly number[];
    axisWidth: number;
    right: number;
    first: number;
    last: number;
  };

function Axes({ ticks, axisWidth, right, first, last, toX, toY, formatX, formatTick, xName }: AxesProps) {
  const room = Math.max(1, Math.floor((right - axisWidth) / 90));
  // What is counted has no halves.
  const steps = valueTicks(last, room).filter((step) => Number.isInteger(step) && step <= last);
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={axisWidth}
            x2={right}
            y1={Math.round(toY(tick)) + 0.5}
            y2={Math.round(toY(tick)) + 0.5}
            strokeWidth={1}
            className={tick === 0 ? 'stroke-border-strong' : 'stroke-border'}
          />
          <text
            x={axisWidth - 8}
            y={toY(tick)}
            dy="0.32em"
            textAnchor="end"
            className="fill-muted-foreground text-xs tabular-nums"
          >
            {formatTick(tick)}
          </text>
        </g>
      ))}
      {steps.map((step) => (
        <text
          key={step}
          x={toX(step)}
          y={height - 8}
          textAnchor={step === first ? 'start' : toX(step) > right - 16 ? 'end' : 'middle'}
          className="fill-muted-foreground text-xs tabular-nums"
        >
          {step === first ? `${xName} ${formatX(step)}` : formatX(step)}
        </text>
      ))}
    </>
  );
}

type LinesProps = Scales & { lines: readonly Line[] /** Changes with the scales. */; scale: string };

/** Up to some thousand points: drawn again only where they or the scales have changed, not with the pointer. */
const Lines = memo(
  ({ lines, toX, toY }: LinesProps) =>
    lines.map(({ key, look, points }) => {
      const [only] = points.length === 1 ? points : [];
      if (only) return <circle key={key} cx={toX(only.x)} cy={toY(only.y)} r={3.5} className={looks[look].fill} />;
      return (
        <polyline
          key={key}
          points={points.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')}
          fill="none"
          strokeWidth={points.length > dense ? 1.25 : 2}
          strokeLinejoin="round"
          strokeLinecap="round"
          strokeDasharray={looks[look].dash}
          className={looks[look].stroke}
        />
      );
    }),
  (before, after) => before.lines === after.lines && before.scale === after.scale,
);

/** At the end of each line its name, moved apart where two would lie over each other. */
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
  // What was moved beyond the axis goes back up as a whole.
  const over = Math.max(0, free - nameHeight - plot.bottom);
  return placed.map(({ key, name, look, y }) => (
    <text key={key} x={x} y={y - over} dy="0.32em" className={classNames('font-medium text-xs', looks[look].text)}>
      {name}
    </text>
  ));
}
