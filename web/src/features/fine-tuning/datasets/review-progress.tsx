import type { Dataset } from '@roster/contracts/fine-tuning/datasets';
import { formatNumber } from '#web/lib/text/format.ts';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';

/** Review progress as a bar and as text. */
export function ReviewProgress({ dataset }: { dataset: Dataset }) {
  const { kept, leftOut, examples, unreviewed } = dataset;
  return (
    <div className="w-full min-w-0">
      <p className="truncate text-sm tabular-nums">
        {unreviewed === 0 ? 'All reviewed' : `${formatNumber(kept + leftOut)} of ${formatNumber(examples)} reviewed`}
      </p>
      <ShareBar
        className="mt-1"
        whole={examples}
        parts={[
          { key: 'kept', value: kept, className: 'fill-success' },
          { key: 'left out', value: leftOut, className: 'fill-warning' },
        ]}
      />
    </div>
  );
}
