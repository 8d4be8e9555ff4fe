import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { useWidth } from '#web/ui/use-width.ts';
import { labelledBars, valueTicks } from './ticks.ts';

export type Bar = {
  key: string;
  /** Label on the axis, where there is room. */
  tick: string;
  value: number;
  /** Full description, for screen readers. */
  label: string;
  /** Highlighted, such as today. */
  isMarked?: boolean;
  /** Part of the value is unknown; drawn as a hollow stub if the bar is otherwise empty. */
  isPartlyUnknown?: boolean;
};

type BarChartProps = {
  /** Accessible name of the chart. */
  label: string;
  bars: readonly Bar[];
  formatTick: (value: number, step: number) => string;
  /** The bar that is hovered or focused; null for none. */
  onPoint: (index: number | null) => void;
  onChoose: (index: number) => void;
  /** Shown over the axes while all bars are zero. */
  emptyText: string;
};

const height = 208;
const plot = { top: 10, bottom: height - 28 };
/** Minimum pixels per bar; below that the chart scrolls. */
const narrowest = 3;
const labelRoom = 64;

/**
 * A bar chart with one tab stop: arrow keys, Home and End move between bars, Enter selects one. Each bar is a button
 * over its column with its full description as name, for screen readers and touch.
 */
export function BarChart({ label, bars, formatTick, onPoint, onChoose, emptyText }: BarChartProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const room = useWidth(scroller);
  const width = Math.max(room, bars.length * narrowest);
  // Start at the newest bars, on the right.
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollLeft = width;
  }, [width]);

  const max = Math.max(0, ...bars.map(({ value }) => value));
  const isEmpty = bars.every(({ value, isPartlyUnknown }) => value === 0 && !isPartlyUnknown);
  const ticks = valueTicks(max);
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => plot.bottom - (value / top) * (plot.bottom - plot.top);
  const point = (index: number | null) => {
    setPointed(index);
    onPoint(index);
  };

  return (
    // Time always runs from left to right.
    <div dir="ltr" className="relative flex h-52">
      <Axis ticks={ticks} texts={ticks.map((tick) => formatTick(tick, ticks[1] ?? 1))} y={y} />
      <div ref={scroller} className="relative min-w-0 flex-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none]">
        <svg aria-hidden="true" width={width} height={height} className="block">
          {ticks.map((tick) => (
            <line
              key={tick}
              x1={0}
              x2={width}
              y1={Math.round(y(tick)) + 0.5}
              y2={Math.round(y(tick)) + 0.5}
              strokeWidth={1}
              className={tick === 0 ? 'stroke-border-strong' : 'stroke-border'}
            />
          ))}
          <Columns bars={bars} width={width} y={y} pointed={pointed} />
        </svg>
        <BarButtons label={label} bars={bars} width={width} onPoint={point} onChoose={onChoose} />
      </div>
      {isEmpty && (
        <p className="pointer-events-none absolute inset-x-0 top-0 bottom-7 flex items-center justify-center px-16 text-center text-muted-foreground text-sm">
          <span className="bg-card px-2 py-1">{emptyText}</span>
        </p>
      )}
    </div>
  );
}

type AxisProps = { ticks: readonly number[]; texts: readonly string[]; y: (value: number) => number };

function Axis({ ticks, texts, y }: AxisProps) {
  // Sized for the longest tick label, estimated before any is rendered.
  const width = Math.max(...texts.map((text) => text.length)) * 7 + 10;
  return (
    <svg aria-hidden="true" width={width} height={height} className="shrink-0 overflow-visible">
      {ticks.map((tick, at) => (
        <text
          key={tick}
          x={width - 8}
          y={y(tick)}
          dy="0.32em"
          textAnchor="end"
          className="fill-muted-foreground text-xs tabular-nums"
        >
          {texts[at]}
        </text>
      ))}
    </svg>
  );
}

type BarButtonsProps = Pick<BarChartProps, 'label' | 'bars' | 'onPoint' | 'onChoose'> & { width: number };

/** Invisible buttons over the columns, for pointer and keyboard. */
function BarButtons({ label, bars, width, onPoint, onChoose }: BarButtonsProps) {
  const columns = useRef<HTMLFieldSetElement>(null);
  const [current, setCurrent] = useState<number | null>(null);
  const last = bars.length - 1;
  const stop = Math.min(current ?? last, last);
  const keyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowRight: Math.min(stop + 1, last),
      ArrowLeft: Math.max(stop - 1, 0),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    columns.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <fieldset
      ref={columns}
      aria-label={label}
      onKeyDown={keyDown}
      onPointerLeave={() => onPoint(null)}
      className="absolute inset-y-0 inset-s-0 flex"
      style={{ width }}
    >
      {bars.map((bar, index) => (
        <button
          key={bar.key}
          type="button"
          aria-label={bar.label}
          tabIndex={index === stop ? 0 : -1}
          onFocus={() => {
            setCurrent(index);
            onPoint(index);
          }}
          onBlur={() => onPoint(null)}
          onPointerEnter={() => onPoint(index)}
          onClick={() => onChoose(index)}
          className="min-w-0 flex-1 rounded-xs focus-visible:outline-offset-[-2px]"
        />
      ))}
    </fieldset>
  );
}

type ColumnsProps = { bars: readonly Bar[]; width: number; y: (value: number) => number; pointed: number | null };

function Columns({ bars, width, y, pointed }: ColumnsProps) {
  const step = width / Math.max(1, bars.length);
  const barWidth = Math.min(40, Math.max(1, step < 6 ? step - 1 : step * 0.7));
  const labelled = new Set(labelledBars(bars.length, Math.floor(width / labelRoom)));
  const x = (index: number) => index * step + (step - barWidth) / 2;
  return (
    <>
      {bars.map((bar, index) => {
        const barHeight = bar.value > 0 ? Math.max(1.5, plot.bottom - y(bar.value)) : 0;
        return (
          <g key={bar.key}>
            {pointed === index && (
              <rect x={index * step} y={0} width={step} height={plot.bottom} className="fill-active" />
            )}
            {barHeight > 0 && (
              <rect
                x={x(index)}
                y={plot.bottom - barHeight}
                width={barWidth}
                height={barHeight}
                rx={Math.min(2, barWidth / 4)}
                className={bar.isMarked ? 'fill-accent' : 'fill-primary'}
              />
            )}
            {bar.isPartlyUnknown && barHeight === 0 && (
              <rect
                x={x(index) + 0.5}
                y={plot.bottom - 6.5}
                width={Math.max(1, barWidth - 1)}
                height={6}
                strokeDasharray="2 2"
                className="fill-transparent stroke-muted-foreground"
              />
            )}
            {labelled.has(index) && width > 0 && (
              <text
                {...labelPlace((index + 0.5) * step, width)}
                y={height - 8}
                className={classNames(
                  'text-xs',
                  bar.isMarked ? 'fill-foreground font-medium' : 'fill-muted-foreground',
                )}
              >
                {bar.tick}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Centers a label below its bar, but keeps the outermost ones inside the chart. */
function labelPlace(middle: number, width: number) {
  const half = labelRoom / 2 - 8;
  if (middle < half) return { x: 0, textAnchor: 'start' } as const;
  if (middle > width - half) return { x: width, textAnchor: 'end' } as const;
  return { x: middle, textAnchor: 'middle' } as const;
}
