import type { Analytics, BilledTool } from '@roster/contracts/usage/usage';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { toolNames } from './names.ts';

type Row = Analytics['byTool'][number];

/** Billing unit of a tool: code is billed by container, which the provider does not report. */
const callWords: Record<BilledTool, [one: string, many: string]> = {
  file_search: ['search', 'searches'],
  web_search: ['search', 'searches'],
  code_interpreter: ['run of code', 'runs of code'],
  image_generation: ['picture', 'pictures'],
};

const priceOf = ({ price }: Row) =>
  price
    ? `${formatCost(price.usdPerThousandCalls)} for 1,000, as of ${formatLongDate(price.asOf)}`
    : 'Roster knows no price of it; the provider’s bill has it.';

const costOf = ({ costUsd, unpricedCalls }: Row) =>
  costUsd === null
    ? 'price unknown'
    : `${formatCost(costUsd)}${unpricedCalls > 0 ? `, ${formatNumber(unpricedCalls)} without a price` : ''}`;

/** Estimated provider charges for tools and storage; nothing if none were used. */
type ToolCostsProps = Pick<Analytics, 'byTool' | 'storage'> & { className?: string };

export function ToolCosts({ byTool, storage, className }: ToolCostsProps) {
  if (byTool.length === 0) return null;
  return (
    <Card aria-label="Tools" className={className}>
      <CardHeader
        title="Tools"
        description="What the provider ran for your answers. It bills this beside tokens; what has a price here is in the totals above."
      />
      <ul className="mt-2 divide-y divide-border px-5 pb-2">
        {byTool.map((row) => (
          <li key={row.tool} className="py-3">
            <div className="flex items-baseline justify-between gap-4">
              <span className="min-w-0 font-medium">{toolNames[row.tool]}</span>
              <span
                className={classNames(
                  'shrink-0 tabular-nums',
                  row.costUsd === null ? 'text-muted-foreground' : 'font-medium',
                )}
              >
                {costOf(row)}
              </span>
            </div>
            <p className="mt-1 text-muted-foreground text-sm tabular-nums">
              {formatCount(row.calls, ...callWords[row.tool])} · {priceOf(row)}
            </p>
          </li>
        ))}
      </ul>
      {storage && (
        <p className="px-5 pb-4 text-muted-foreground text-sm">
          Files of assistants lie in vector stores at the provider: {formatCost(storage.usdPerGigabyteDay)} for a GB and
          day after the first {formatCount(storage.freeGigabytes, 'GB', 'GB')}, as of {formatLongDate(storage.asOf)}.
          This is not in the totals.
        </p>
      )}
    </Card>
  );
}
