import { type TestCounts, testResults } from '@roster/contracts/comparisons/test-sets';
import { formatNumber } from '#web/lib/text/format.ts';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { resultNames } from './labels.ts';

const looks = {
  better: ['fill-success', 'bg-success'],
  unchanged: ['fill-foreground/35', 'bg-foreground/35'],
  worse: ['fill-destructive', 'bg-destructive'],
  open: ['fill-warning', 'bg-warning'],
  new: ['fill-primary', 'bg-primary'],
  unanswered: ['fill-transparent', 'bg-active'],
} as const satisfies Record<(typeof testResults)[number], readonly [fill: string, mark: string]>;
const inOrder = ['better', 'unchanged', 'worse', 'open', 'new', 'unanswered'] as const;

/** Results of a run as a bar and as text. Zero counts are omitted, except better and worse. */
export function ResultCounts({ counts }: { counts: TestCounts }) {
  const all = testResults.reduce((sum, result) => sum + counts[result], 0);
  const isMeasured = counts.new + counts.unanswered < all;
  const shown = inOrder.filter(
    (result) => counts[result] > 0 || (isMeasured && (result === 'better' || result === 'worse')),
  );
  return (
    <div>
      <ShareBar
        whole={all}
        parts={inOrder.map((result) => ({ key: result, value: counts[result], className: looks[result][0] }))}
      />
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-muted-foreground text-sm">
        {shown.map((result) => (
          <li key={result} className="flex items-center gap-1.5 whitespace-nowrap">
            <span aria-hidden="true" className={classNames('size-2 rounded-xs', looks[result][1])} />
            {resultNames[result]}{' '}
            <span className="font-medium text-foreground tabular-nums">{formatNumber(counts[result])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
