import type { Analytics } from '@roster/contracts/usage/usage';
import { Layers } from 'lucide-react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

/** From the largest share to the smallest; the order also tells them apart. */
const shades = [
  { fill: 'fill-primary', dot: 'bg-primary' },
  { fill: 'fill-primary/72', dot: 'bg-primary/72' },
  { fill: 'fill-primary/52', dot: 'bg-primary/52' },
  { fill: 'fill-primary/36', dot: 'bg-primary/36' },
] as const;
const rest = { fill: 'fill-muted-foreground/40', dot: 'bg-muted-foreground/40' };
const shadeOf = (place: number) => shades[place] ?? rest;

type ModelDistributionProps = {
  shown: Analytics | undefined;
  onOpen: (model: string) => void;
  className?: string | undefined;
};

/** Requests by model: one stacked bar with a legend. Costs are in Cost by Model. */
export function ModelDistribution({ shown, onOpen, className }: ModelDistributionProps) {
  const models = shown?.byModel.toSorted((a, b) => b.requests - a.requests);
  return (
    <Card aria-label="Model Distribution" className={classNames('flex min-w-0 flex-col', className)}>
      <CardHeader title="Model Distribution" description="Share of requests by model." />
      {!shown || !models ? (
        <div className="grid gap-3 px-5 pt-4 pb-5">
          <Skeleton className="h-3 w-full" />
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} className="h-5 w-full" />
          ))}
        </div>
      ) : models.length === 0 ? (
        <EmptyState bare icon={Layers} text="No requests in this period." className="flex-1 justify-center" />
      ) : (
        <div className="px-5 pt-4 pb-3">
          <ShareBar
            className="h-3"
            whole={shown.totals.requests}
            parts={models.map(({ model, requests }, place) => ({
              key: model,
              value: requests,
              className: shadeOf(place).fill,
            }))}
          />
          <ul className="mt-3 max-h-100 overflow-y-auto">
            {models.map(({ model, requests, inputTokens, outputTokens }, place) => (
              <li key={model} className="flex min-h-10 items-center gap-3 text-sm tabular-nums">
                <span aria-hidden className={classNames('size-2.5 shrink-0 rounded-full', shadeOf(place).dot)} />
                <div className="min-w-0 flex-1">
                  <button
                    type="button"
                    onClick={() => onOpen(model)}
                    aria-label={`${modelName(model)}: show requests`}
                    className="block max-w-full truncate rounded-xs text-start font-mono underline-offset-4 hover:underline max-md:py-2"
                  >
                    <ModelName model={model} />
                  </button>
                </div>
                <span className="text-end text-muted-foreground [unicode-bidi:plaintext]">
                  {formatCount(requests, 'request')}
                  <span className="max-sm:hidden">
                    {' '}
                    · {formatNumber(inputTokens)} in · {formatNumber(outputTokens)} out
                  </span>
                </span>
                <span className="w-12 shrink-0 text-end font-medium">
                  {formatShare(requests, shown.totals.requests)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}
