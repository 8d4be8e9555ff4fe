import type { Analytics, BilledTool } from '@roster/contracts/usage/usage';
import { Wrench } from 'lucide-react';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { CostRow } from './cost-row.tsx';
import { toolNames } from './names.ts';

type ToolRow = Analytics['byTool'][number];

/** Billing unit of a tool: code is billed by container, which the provider does not report. */
const callWords: Record<BilledTool, [one: string, many: string]> = {
  file_search: ['search', 'searches'],
  web_search: ['search', 'searches'],
  code_interpreter: ['run of code', 'runs of code'],
  image_generation: ['image', 'images'],
};

const priceOf = ({ price }: ToolRow) =>
  price
    ? `${formatCost(price.usdPerThousandCalls)} for 1,000, as of ${formatLongDate(price.asOf)}`
    : 'Roster has no price for this tool; check your provider’s bill.';

const costOf = ({ costUsd, unpricedCalls }: ToolRow) =>
  costUsd === null
    ? 'No price known'
    : `${formatCost(costUsd)}${unpricedCalls > 0 ? `, ${formatNumber(unpricedCalls)} with no known price` : ''}`;

/** Tools that the provider bills beside tokens, as far as Roster knows. */
export function ToolCosts({ shown }: { shown: Analytics | undefined }) {
  const { byTool, storage } = shown ?? {};
  return (
    <Card aria-label="Tools">
      <CardHeader
        title="Tools"
        description="Built-in tools used for your answers. The provider bills them in addition to tokens; those with a price here are included in the totals."
      />
      {byTool === undefined ? (
        <div className="grid gap-3 px-5 pt-4 pb-5">
          <Skeleton className="h-10 w-full" />
          <Skeleton className="h-10 w-full" />
        </div>
      ) : byTool.length === 0 ? (
        <EmptyState bare icon={Wrench} text="No built-in tools were used in this period." />
      ) : (
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
      )}
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
