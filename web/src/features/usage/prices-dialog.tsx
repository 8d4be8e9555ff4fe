import type { CustomPrice } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { Tag } from 'lucide-react';
import { pricesQuery, useRemovePrice } from '#web/api/usage.ts';
import { useModelName } from '#web/api/use-model-name.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';

type PricesDialogProps = { onClose: () => void; onChange: (model: string) => void };

/** The user's custom prices. */
export function PricesDialog({ onClose, onChange }: PricesDialogProps) {
  const prices = useQuery(pricesQuery);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Custom prices"
      description="Prices in US dollars per 1,000,000 tokens, for models that are not in the price list or only priced as their family. Removing a price does not change past requests."
    >
      {prices.data === undefined ? (
        prices.isError && !prices.isFetching ? (
          <ErrorState
            title="Failed to load prices"
            message={errorText(prices.error)}
            onRetry={() => void prices.refetch()}
          />
        ) : (
          <SpinnerPanel label="Loading prices" />
        )
      ) : prices.data.length === 0 ? (
        <EmptyState
          icon={Tag}
          text="No custom prices yet. If a model has no known price, or only its family’s, you can set one in Cost by Model."
        />
      ) : (
        <ul className="-my-3 divide-y divide-border">
          {prices.data.map((price) => (
            <PriceRow key={price.model} price={price} onChange={() => onChange(price.model)} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function PriceRow({ price, onChange }: { price: CustomPrice; onChange: () => void }) {
  const { mutate, isPending } = useRemovePrice();
  const name = useModelName(price.model);
  const remove = () =>
    mutate(price.model, {
      onSuccess: () => toast({ title: 'Price removed', description: `New requests to ${name} no longer use it.` }),
      onError: showFailure('Failed to remove the price'),
    });
  const cached = price.cachedInput === null ? '' : ` · ${formatCost(price.cachedInput)} cached`;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0">
        <p className="wrap-anywhere font-mono text-sm">
          <ModelName model={price.model} />
        </p>
        <p className="text-muted-foreground text-sm tabular-nums">
          {formatCost(price.input)} in{cached} · {formatCost(price.output)} out
        </p>
        <p className="text-muted-foreground text-sm">Set on {formatLongDate(price.setAt)}</p>
      </div>
      <div className="flex gap-2">
        <Button size="sm" onClick={onChange} aria-label={`Change price of ${name}`}>
          Change
        </Button>
        <Button
          size="sm"
          variant="ghost"
          busy={isPending}
          pendingLabel="Removing..."
          onClick={remove}
          aria-label={`Remove price of ${name}`}
        >
          Remove
        </Button>
      </div>
    </li>
  );
}
