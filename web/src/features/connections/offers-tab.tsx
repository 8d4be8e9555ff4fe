import type { ConnectionOffer } from '@roster/contracts/connections/offers';
import { useQuery } from '@tanstack/react-query';
import { Cable, ChartColumn, Plus } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { ActionMenu } from './action-menu.tsx';
import { CheckForm } from './check-dialog.tsx';
import { HeaderNames } from './connection-row.tsx';
import { counted } from './labels.ts';
import { AddOfferDialog, EditOfferDialog } from './offer-dialog.tsx';
import {
  offerRefusalsQuery,
  offersQuery,
  offerUsesQuery,
  useAskOfferAgain,
  useChangeOffer,
  useCheckOffer,
  useRemoveOffer,
} from './offer-queries.ts';
import { SpendingDialog } from './offer-spending.tsx';
import { PresetMark } from './preset-mark.tsx';
import { RefusalList } from './refusals.tsx';
import { usesText } from './remove-dialog.tsx';

type Action = 'edit' | 'check' | 'spending' | 'remove';
type Opened = { what: Action; id: number };

/** The connections that administrators offer to people. */
export function OffersTab() {
  const query = useQuery(offersQuery);
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const offers = query.data?.offers ?? [];
  const offer = offers.find(({ id }) => id === opened?.id);
  const add = (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      Offer Connection
    </Button>
  );
  return (
    <Card>
      <CardHeader
        title="Offered connections"
        description="Accounts with providers that people use without seeing the key, with monthly budgets."
        action={offers.length > 0 && add}
      />
      {query.isPending && <LoadingRows label="Loading connections" className="px-5 py-2" />}
      {query.isError && (
        <div className="px-5 py-5">
          <RetryNotice tone="destructive" live query={query}>
            Failed to load the connections: {errorText(query.error)}
          </RetryNotice>
        </div>
      )}
      {query.isSuccess && offers.length === 0 && (
        <EmptyState bare icon={Cable} text="No connection is offered yet." action={add} className="py-8" />
      )}
      {offers.length > 0 && (
        <ul aria-label="Offered connections" className="divide-y divide-border px-5 py-2">
          {offers.map((one) => (
            <OfferRow key={one.id} offer={one} onChoose={(what) => setOpened({ what, id: one.id })} />
          ))}
        </ul>
      )}
      <CardFooter>
        You see how much each person spends and with which models. Questions, answers and titles stay with their owners.
      </CardFooter>
      {isAdding && <AddOfferDialog onClose={() => setAdding(false)} />}
      {offer && opened && <OpenedDialog what={opened.what} offer={offer} onClose={() => setOpened(null)} />}
    </Card>
  );
}

type DialogProps = { offer: ConnectionOffer; onClose: () => void };

function OpenedDialog({ what, ...props }: DialogProps & { what: Action }) {
  if (what === 'edit') return <EditOfferDialog {...props} />;
  if (what === 'check') return <CheckOfferDialog {...props} />;
  if (what === 'spending') return <SpendingDialog {...props} />;
  return <RemoveOfferDialog {...props} />;
}

function CheckOfferDialog({ offer, onClose }: DialogProps) {
  const check = useCheckOffer();
  const { data } = useQuery(offerRefusalsQuery(offer.id));
  const askAgain = useAskOfferAgain(offer.id);
  return (
    <CheckForm connection={offer} check={check} onClose={onClose}>
      <RefusalList refusals={data?.refusals} askAgain={askAgain} />
    </CheckForm>
  );
}

function RemoveOfferDialog({ offer: { id, name }, onClose }: DialogProps) {
  const remove = useRemoveOffer();
  const { data } = useQuery(offerUsesQuery(id));
  const people = data && data.people > 0 ? ` ${counted(data.people, 'person', 'people')} used it this month.` : '';
  const confirm = () =>
    remove.mutate(id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Connection removed', description: `“${name}” is no longer offered.` });
      },
      onError: showFailure('Failed to remove the connection', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={
        <>
          Remove “<bdi>{name}</bdi>”?
        </>
      }
      description={`${usesText(data)}${people} Conversations stay readable. Its spending records are deleted too. This cannot be undone.`}
      confirmLabel="Remove Connection"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}

const limitText = ({ monthlyUsdPerPerson: each, monthlyUsdTotal: all }: ConnectionOffer) => {
  const limits = [each !== null && `${formatCost(each)} a person`, all !== null && `${formatCost(all)} for all`];
  const set = limits.filter((limit) => limit !== false);
  return set.length === 0 ? 'No budget' : `Budget ${set.join(', ')}`;
};

const audienceText = ({ audience, people }: ConnectionOffer) =>
  audience === 'everybody' ? 'For everybody' : `For ${counted(people.length, 'chosen person', 'chosen people')}`;

function OfferRow({ offer, onChoose }: { offer: ConnectionOffer; onChoose: (what: Action) => void }) {
  const { name, preset, baseUrl, headerNames, notice, isPaused, spentUsd, monthlyUsdTotal } = offer;
  const isUsedUp = monthlyUsdTotal !== null && spentUsd >= monthlyUsdTotal;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 py-4">
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        <PresetMark preset={preset} />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            <span dir="auto" className="wrap-anywhere">
              {name}
            </span>
            {isPaused && <Badge tone="warning">Paused</Badge>}
            {isUsedUp && <Badge tone="warning">Budget used up</Badge>}
          </p>
          <p className="wrap-anywhere text-muted-foreground text-sm">
            {audienceText(offer)} · {limitText(offer)} · {formatCost(spentUsd)} spent this month
          </p>
          <p className="flex flex-wrap gap-x-4 text-muted-foreground text-sm">
            <span dir="ltr" className="wrap-anywhere">
              {baseUrl}
            </span>
            <HeaderNames names={headerNames} />
          </p>
          {notice && (
            <p className="wrap-anywhere mt-1 text-sm text-warning-text">
              <bdi>{notice}</bdi>
            </p>
          )}
        </div>
      </div>
      <div className="flex items-center gap-2 max-sm:ps-11">
        <Button size="sm" icon={ChartColumn} aria-label={`Spending of ${name}`} onClick={() => onChoose('spending')}>
          Spending
        </Button>
        <Button size="sm" aria-label={`Check ${name}`} onClick={() => onChoose('check')}>
          Check
        </Button>
        <OfferMenu offer={offer} onChoose={onChoose} />
      </div>
    </li>
  );
}

function OfferMenu({ offer, onChoose }: { offer: ConnectionOffer; onChoose: (what: Action) => void }) {
  const { id, name, isPaused } = offer;
  const change = useChangeOffer();
  const pause = () =>
    change.mutate({ id, isPaused: !isPaused }, { onError: showFailure('Failed to update the connection') });
  return <ActionMenu name={name} isPaused={isPaused} onPause={pause} onChoose={onChoose} />;
}
