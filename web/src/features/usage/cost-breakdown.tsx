import type { Analytics } from '@roster/contracts/usage/usage';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { CostRow } from './cost-row.tsx';
import { knownCost } from './known-cost.ts';

const costText = (usd: number | null) => (usd === null ? 'no price known' : formatCost(usd));

type JobRow = Analytics['fineTuning'][number];

const jobAmounts = ({ jobs, trainedTokens, costUsd, unpricedJobs }: JobRow) => {
  const unpriced =
    costUsd !== null && unpricedJobs > 0 ? ` · ${formatCount(unpricedJobs, 'job')} with no known price` : '';
  return `${formatCount(jobs, 'job')} · ${formatCount(trainedTokens, 'token')} trained${unpriced}`;
};

/** The kinds of cost that add up to the total. Training is no request. */
function kindsOf({ totals, byModel, byTool, fineTuning }: Analytics) {
  const calls = byTool.reduce((sum, row) => sum + row.calls, 0);
  const jobs = fineTuning.reduce((sum, row) => sum + row.jobs, 0);
  return [
    {
      name: 'Requests',
      usd: knownCost(byModel),
      detail: formatCount(totals.requests, 'request'),
      fill: 'fill-primary',
    },
    { name: 'Built-in tools', usd: knownCost(byTool), detail: formatCount(calls, 'call'), fill: 'fill-primary/55' },
    { name: 'Training', usd: knownCost(fineTuning), detail: formatCount(jobs, 'job'), fill: 'fill-foreground/60' },
  ];
}

type CostBreakdownProps = {
  shown: Analytics | undefined;
  /** Lists the fine-tuning jobs of a base model. */
  onOpenJobs: (model: string) => void;
  className?: string;
};

/** Cost of answers, tools and training, and training by base model. */
export function CostBreakdown({ shown, onOpenJobs, className }: CostBreakdownProps) {
  const kinds = shown && kindsOf(shown);
  return (
    <Card aria-label="Cost Breakdown" className={classNames('min-w-0', className)}>
      <CardHeader title="Cost Breakdown" description="What requests, tools and training add to the total." />
      {kinds ? (
        <div className="px-5 pt-4 pb-2">
          <ShareBar
            className="h-3"
            whole={kinds.reduce((sum, { usd }) => sum + (usd ?? 0), 0)}
            parts={kinds.map(({ name, usd, fill }) => ({ key: name, value: usd ?? 0, className: fill }))}
          />
          <ul className="mt-2 divide-y divide-border">
            {kinds.map(({ name, usd, detail }) => (
              <CostRow
                key={name}
                name={<span className="min-w-0 font-medium">{name}</span>}
                isPriced={usd !== null}
                cost={costText(usd)}
                detail={detail}
              />
            ))}
          </ul>
          <TrainingByModel rows={shown.fineTuning} onOpen={onOpenJobs} />
        </div>
      ) : (
        <div className="grid gap-3 px-5 pt-4 pb-5">
          <Skeleton className="h-3 w-full" />
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} className="h-10 w-full" />
          ))}
        </div>
      )}
    </Card>
  );
}

function TrainingByModel({ rows, onOpen }: { rows: readonly JobRow[]; onOpen: (model: string) => void }) {
  if (rows.length === 0) return null;
  return (
    <ul aria-label="Training by base model" className="divide-y divide-border border-border border-t ps-4">
      {rows.map((row) => (
        <CostRow
          key={row.model}
          name={
            <button
              type="button"
              onClick={() => onOpen(row.model)}
              aria-label={`${modelName(row.model)}: show jobs`}
              className="min-w-0 truncate rounded-xs text-start font-medium font-mono text-sm underline-offset-4 hover:underline max-md:-my-2 max-md:py-2"
            >
              <ModelName model={row.model} />
            </button>
          }
          isPriced={row.costUsd !== null}
          cost={costText(row.costUsd)}
          detail={jobAmounts(row)}
        />
      ))}
    </ul>
  );
}
