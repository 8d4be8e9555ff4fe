import type { ConnectionOffer, OfferSpending } from '@roster/contracts/connections/offers';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { counted } from './labels.ts';
import { spendingQuery } from './offer-queries.ts';

const monthAt = (date: Date) => date.toISOString().slice(0, 7);

/** The month `by` months later. */
function shifted(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return monthAt(date);
}

const titleOf = (month: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** Shows the cost of an offered connection in a month, by person and by model. */
export function SpendingDialog({ offer: { id, name }, onClose }: { offer: ConnectionOffer; onClose: () => void }) {
  const [now] = useState(() => monthAt(new Date()));
  const [month, setMonth] = useState(now);
  const query = useQuery(spendingQuery(id, month));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={
        <>
          Spending of “<bdi>{name}</bdi>”
        </>
      }
      description="Cost by person and model. Messages are not shown. Months are in UTC."
    >
      <div className="grid gap-5">
        <div className="flex items-center gap-2">
          <IconButton label="Previous month" icon={ChevronLeft} onClick={() => setMonth(shifted(month, -1))} />
          <h3 aria-live="polite" className="min-w-36 text-center font-medium">
            {titleOf(month)}
          </h3>
          <IconButton
            label="Next month"
            icon={ChevronRight}
            aria-disabled={month >= now || undefined}
            onClick={() => month < now && setMonth(shifted(month, 1))}
          />
        </div>
        {query.isPending && <LoadingRows label="Loading the spending" />}
        {query.isError && (
          <RetryNotice tone="destructive" live query={query}>
            Failed to load the spending: {errorText(query.error)}
          </RetryNotice>
        )}
        {query.data && <Sums spending={query.data} />}
      </div>
    </Dialog>
  );
}

function Sums({ spending: { total, people, models } }: { spending: OfferSpending }) {
  if (total.requests === 0) return <p className="text-muted-foreground">No spending in this month.</p>;
  return (
    <>
      <p>
        <strong className="font-semibold text-lg tabular-nums">{formatCost(total.costUsd)}</strong>{' '}
        <span className="text-muted-foreground">for {counted(total.requests, 'request')}</span>
        {total.unpricedRequests > 0 && (
          <span className="text-muted-foreground">, {formatNumber(total.unpricedRequests)} with no known price</span>
        )}
      </p>
      <SumTable
        label="By person"
        rows={people.map(({ person, ...sum }) => ({
          key: String(person?.id ?? 'closed'),
          name: person ? (
            <>
              <span dir="auto">{person.name ?? person.email}</span>
              {person.name && <span className="block text-muted-foreground text-sm">{person.email}</span>}
            </>
          ) : (
            'Closed accounts'
          ),
          ...sum,
        }))}
      />
      <SumTable
        label="By model"
        rows={models.map(({ model, ...sum }) => ({ key: model, name: <span dir="ltr">{model}</span>, ...sum }))}
      />
    </>
  );
}

type SumRow = { key: string; name: ReactNode; requests: number; costUsd: number };

const SumTable = ({ label, rows }: { label: string; rows: readonly SumRow[] }) => (
  <table className="w-full text-sm">
    <caption className="pb-1 text-start font-medium">{label}</caption>
    <thead className="text-muted-foreground">
      <tr className="border-border border-b">
        <th scope="col" className="py-2 pe-4 text-start font-medium">
          {label === 'By person' ? 'Person' : 'Model'}
        </th>
        <th scope="col" className="w-24 py-2 pe-4 text-end font-medium">
          Requests
        </th>
        <th scope="col" className="w-28 py-2 text-end font-medium">
          Cost
        </th>
      </tr>
    </thead>
    <tbody className="divide-y divide-border">
      {rows.map(({ key, name, requests, costUsd }) => (
        <tr key={key}>
          <th scope="row" className="wrap-anywhere py-2 pe-4 text-start font-normal">
            {name}
          </th>
          <td className="py-2 pe-4 text-end tabular-nums">{formatNumber(requests)}</td>
          <td className="py-2 text-end tabular-nums">{formatCost(costUsd)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
