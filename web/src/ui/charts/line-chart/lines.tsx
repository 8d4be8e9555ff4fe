import { memo } from 'react';
import type { Scales } from './frame.ts';
import { type Line, lineStyles } from './line.ts';

/** Number of points from which a thick line would look like a band. */
const dense = 400;

type LinesProps = Scales & { lines: readonly Line[]; scale: string };

/** May have thousands of points: rerenders when they or the scales change, not when the pointer moves. */
export const Lines = memo(
  ({ lines, toX, toY }: LinesProps) =>
    lines.map(({ key, look, points }) => {
      const [only] = points.length === 1 ? points : [];
      if (only) return <circle key={key} cx={toX(only.x)} cy={toY(only.y)} r={3.5} className={lineStyles[look].fill} />;
      return (
        <polyline
          key={key}
          points={points.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')}
          fill="none"
          strokeWidth={points.length > dense ? 1.25 : 2}
          strokeLinejoin="round"
          strokeLinecap="round"
          strokeDasharray={lineStyles[look].dash}
          className={lineStyles[look].stroke}
        />
      );
    }),
  (before, after) => before.lines === after.lines && before.scale === after.scale,
);
