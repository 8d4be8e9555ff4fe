import { memo } from 'react';
import type { Scales } from './frame.ts';
import { type Line, lineStyles } from './line.ts';

/** From so many points on a thick line would be a band. */
const dense = 400;

type LinesProps = Scales & { lines: readonly Line[] /** Changes with the scales. */; scale: string };

/** Up to some thousand points: drawn again only where they or the scales have changed, not with the pointer. */
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
