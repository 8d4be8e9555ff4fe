import type { Analytics } from '@roster/contracts/usage/usage';
import { formatCost, formatCount } from '#web/lib/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';

type Row = Analytics['fineTuning'][number];

const amounts = ({ jobs, trainedTokens, costUsd, unpricedJobs }: Row) => {
  const unpriced = costUsd !== null && unpricedJobs > 0 ? ` · ${formatCount(unpricedJobs, 'job')} without a price` : '';
  return `${formatCount(jobs, 'job')} · ${formatCount(trainedTokens, 'token')} trained${unpriced}`;
};

type FineTuningCostsProps = {
  rows: readonly Row[];
  onOpen: (model: string) => void;
  className?: string;
};

/** Fine-tuning jobs by base model; nothing if there were none. */
export function FineTuningCosts({ rows, onOpen, className }: FineTuningCostsProps) {
  if (rows.length === 0) return null;
  return (
    <Card aria-label="Fine-Tuning" className={className}>
      <CardHeader
        title="Fine-Tuning"
        description="Finished jobs by base model. Their cost is in the totals; they do not count as requests."
      />
      <ul className="mt-2 divide-y divide-border px-5 pb-2">
        {rows.map((row) => (
          <li key={row.model} className="py-3">
            <div className="flex items-baseline justify-between gap-4">
              <button
                type="button"
                onClick={() => onOpen(row.model)}
                aria-label={`${row.model}: show jobs`}
                className="min-w-0 truncate rounded-xs text-start font-medium font-mono text-sm underline-offset-4 hover:underline max-md:-my-2 max-md:py-2"
              >
                {row.model}
              </button>
              <span
                className={classNames(
                  'shrink-0 tabular-nums',
                  row.costUsd === null ? 'text-muted-foreground' : 'font-medium',
                )}
              >
                {row.costUsd === null ? 'no price known' : formatCost(row.costUsd)}
              </span>
            </div>
            <p className="mt-1 text-muted-foreground text-sm tabular-nums">{amounts(row)}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
