import { type UsageComparison, usageComparisonDays } from '@roster/contracts/usage/usage';
import { modelName } from '#web/api/model-names.ts';
import { formatCost } from '#web/lib/text/format.ts';

type PriceDifferenceProps = { fromModel: string; toModel: string; usage: UsageComparison };

function sentence({ usage, ...models }: PriceDifferenceProps): string {
  const [fromModel, toModel] = [modelName(models.fromModel), modelName(models.toModel)];
  const { requests, costUsd, costAfterUsd } = usage;
  const days = `the last ${usageComparisonDays} days`;
  if (requests === 0) return `You have not used ${fromModel} in ${days}, so there is no price to compare.`;
  const before =
    costUsd === null
      ? `What you paid for ${fromModel} in ${days} is not known`
      : `You paid ${formatCost(costUsd)} for ${fromModel} in ${days}`;
  if (costAfterUsd === null) return `${before}. There is no known price for ${toModel}.`;
  return `${before}. The same tokens would cost about ${formatCost(costAfterUsd)} with ${toModel}.`;
}

/** Cost of the user's past usage with the other model. */
export function PriceComparison(props: PriceDifferenceProps) {
  const { requests, costUsd, costAfterUsd } = props.usage;
  const isKnown = requests > 0 && costUsd !== null && costAfterUsd !== null;
  return (
    <div className="rounded-md border border-border bg-muted px-3.5 py-3">
      {isKnown && (
        <p aria-hidden className="font-semibold text-lg tabular-nums">
          {`${formatCost(costUsd)} → about ${formatCost(costAfterUsd)}`}
        </p>
      )}
      <p className="text-muted-foreground text-sm">{sentence(props)}</p>
    </div>
  );
}
