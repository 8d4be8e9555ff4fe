import { valueTicks } from '#web/ui/charts/ticks.ts';
import { height, type Scales } from './frame.ts';

type AxesProps = Scales & {
  ticks: readonly number[];
  axisWidth: number;
  right: number;
  first: number;
  last: number;
  formatX: (x: number) => string;
  formatTick: (y: number) => string;
  xName: string;
};

export function Axes({ ticks, axisWidth, right, first, last, toX, toY, formatX, formatTick, xName }: AxesProps) {
  const room = Math.max(1, Math.floor((right - axisWidth) / 90));
  // Counts have no fractions.
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
