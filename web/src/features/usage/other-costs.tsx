import type { Analytics, BilledTool } from '@roster/contracts/usage/usage';
import type { ReactNode } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { toolNames } from './names.ts';

type CostRowProps = { name: ReactNode; isPriced: boolean; cost: string; detail: string };

function CostRow({ name, isPriced, cost, detail }: CostRowProps) {
  return (
    <li className="py-3">
      <div className="flex items-baseline justify-between gap-4">
        {name}
        <span className={classNames('shrink-0 tabular-nums', isPriced ? 'font-medium' : 'text-muted-foreground')}>
          {cost}
        </span>
      </div>
      <p className="mt-1 text-muted-foreground text-sm tabular-nums">{detail}</p>
    </li>
  );
}

type ToolRow = Analytics['byTool'][number];

/** Billing unit of a tool: code is billed by container, which the provider does not report. */
const callWords: Record<BilledTool, [one: string, many: string]> = {
  file_search: ['search', 'searches'],
  web_search: ['search', 'searches'],
  code_interpreter: ['run of code', 'runs of code'],
  image_generation: ['picture', 'pictures'],
};

const priceOf = ({ price }: ToolRow) =>
  price
    ? `${formatCost(price.usdPerThousandCalls)} for 1,000, as of ${formatLongDate(price.asOf)}`
    : 'Roster has no price for this tool; check your provider’s bill.';

const costOf = ({ costUsd, unpricedCalls }: ToolRow) =>
  costUsd === null
    ? 'price unknown'
    : `${formatCost(costUsd)}${unpricedCalls > 0 ? `, ${formatNumber(unpricedCalls)} without a price` : ''}`;

type ToolCostsProps = Pick<Analytics, 'byTool' | 'storage'> & { className?: string };

/** Tools that the provider bills beside tokens, as far as Roster knows; nothing if none was used. */
export function ToolCosts({ byTool, storage, className }: ToolCostsProps) {
  if (byTool.length === 0) return null;
  return (
    <Card aria-label="Tools" className={className}>
      <CardHeader
        title="Tools"
        description="Built-in tools used for your answers. The provider bills them in addition to tokens; those with a price here are included in the totals."
      />
      <ul className="mt-2 divide-y divide-border px-5 pb-2">
        {byTool.map((row) => (
          <CostRow
            key={row.tool}
            name={<span className="min-w-0 font-medium">{toolNames[row.tool]}</span>}
            isPriced={row.costUsd !== null}
            cost={costOf(row)}
            detail={`${formatCount(row.calls, ...callWords[row.tool])} · ${priceOf(row)}`}
          />
        ))}
      </ul>
      {storage && (
        <p className="px-5 pb-4 text-muted-foreground text-sm">
          Assistants’ files are kept in vector stores at the provider: {formatCost(storage.usdPerGigabyteDay)} for a GB
          and day after the first {formatCount(storage.freeGigabytes, 'GB', 'GB')}, as of {formatLongDate(storage.asOf)}
          . This is not included in the totals.
        </p>
      )}
    </Card>
  );
}

type JobRow = Analytics['fineTuning'][number];

const jobAmounts = ({ jobs, trainedTokens, costUsd, unpricedJobs }: JobRow) => {
  const unpriced = costUsd !== null && unpricedJobs > 0 ? ` · ${formatCount(unpricedJobs, 'job')} without a price` : '';
  return `${formatCount(jobs, 'job')} · ${formatCount(trainedTokens, 'token')} trained${unpriced}`;
};

type FineTuningCostsProps = {
  rows: readonly JobRow[];
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
        description="Finished jobs by base model. Their cost is included in the totals; they do not count as requests."
      />
      <ul className="mt-2 divide-y divide-border px-5 pb-2">
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
            cost={row.costUsd === null ? 'no price known' : formatCost(row.costUsd)}
            detail={jobAmounts(row)}
          />
        ))}
      </ul>
    </Card>
  );
}
