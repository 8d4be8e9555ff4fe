import { providerNameIn } from '@roster/contracts/provider-name';
import type { AdminKeyState, ProviderFigures } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { type DayRange, daysBetween } from '#web/features/usage/shared/range.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { ByDay, ByModel, Totals } from './comparison-tables.tsx';
import { FiguresSkeleton } from './figures-skeleton.tsx';
import { adminKeyQuery, maxProviderRangeDays, providerFiguresQuery, useRemoveAdminKey } from './queries.ts';

// Forms bring their library and all schemas.
const AdminKeyDialog = lazyPart(async () => (await import('./admin-key-dialog.tsx')).AdminKeyDialog);

type CardProps = { range: DayRange; className?: string | undefined };

/** The provider's own figures next to Roster's; needs an admin key. */
export function ProviderFiguresCard({ range, className }: CardProps) {
  const provider = useProviderName();
  const key = useQuery(adminKeyQuery);
  const [isEntering, setIsEntering] = useState(false);
  const state = key.data;
  return (
    <Card aria-label="Provider’s own figures" className={classNames('min-w-0', className)}>
      <CardHeader
        title="Provider’s own figures"
        description={
          state?.hasAdminKey &&
          `What ${provider} reports for your whole organization, compared with requests through Roster. Days are in UTC.`
        }
      />
      {state === undefined ? (
        key.isError && !key.isFetching ? (
          <ErrorState
            title="Failed to load the admin key"
            message={errorText(key.error)}
            onRetry={() => void key.refetch()}
            className="m-5"
          />
        ) : (
          <FiguresSkeleton />
        )
      ) : state.hasAdminKey ? (
        <>
          <Figures provider={provider} range={range} onReplace={() => setIsEntering(true)} />
          <KeyLine state={state} onReplace={() => setIsEntering(true)} />
        </>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 pt-1 pb-5">
          <p className="text-muted-foreground text-sm">
            Add an organization admin key to compare with {provider}’s own figures.
          </p>
          <Button icon={KeyRound} onClick={() => setIsEntering(true)} className="max-sm:h-10 max-sm:w-full">
            Add admin key
          </Button>
        </div>
      )}
      {isEntering && (
        <AdminKeyDialog
          provider={provider}
          replaces={state?.hasAdminKey ?? false}
          onClose={() => setIsEntering(false)}
        />
      )}
    </Card>
  );
}

type FiguresProps = { provider: string; range: DayRange; onReplace: () => void };

function Figures({ provider, range, onReplace }: FiguresProps) {
  const isTooLong = daysBetween(range) > maxProviderRangeDays;
  const query = useQuery({ ...providerFiguresQuery(range), enabled: !isTooLong });
  if (isTooLong) {
    return (
      <p className="px-5 pt-2 pb-5 text-muted-foreground text-sm">
        {providerNameIn('beginning', provider)} answers for at most {maxProviderRangeDays} days at a time. Choose a
        shorter period to compare.
      </p>
    );
  }
  if (query.isError && !query.isFetching) {
    const isRejected = query.error instanceof ApiError && ['key_rejected', 'key_unreadable'].includes(query.error.code);
    return (
      <ErrorState
        title={isRejected ? 'The admin key no longer works' : 'The provider’s figures could not be read'}
        message={errorText(query.error)}
        onRetry={() => void query.refetch()}
        action={isRejected && <Button onClick={onReplace}>Replace admin key</Button>}
        className="m-5"
      />
    );
  }
  if (query.data === undefined) return <FiguresSkeleton />;
  return <Filled provider={provider} figures={query.data} isOld={query.isPlaceholderData} />;
}

const isEmpty = ({ provider, roster }: ProviderFigures) =>
  [provider.requests, provider.costUsd, roster.requests].every((value) => value === 0);

type FilledProps = { provider: string; figures: ProviderFigures; isOld: boolean };

function Filled({ provider, figures, isOld }: FilledProps) {
  return (
    <div
      aria-busy={isOld || undefined}
      className={classNames('px-5 pt-3 pb-4 transition-opacity duration-140', isOld && 'opacity-60')}
    >
      {figures.notice && (
        <Notice tone="warning" className="mb-3">
          {figures.notice}
        </Notice>
      )}
      <Totals provider={provider} figures={figures} />
      {isEmpty(figures) && (
        <p className="mt-3 text-muted-foreground text-sm">
          No requests in this period, here or elsewhere in the organization.
        </p>
      )}
      <ByDay provider={provider} figures={figures} />
      <ByModel provider={provider} figures={figures} />
      <p className="mt-3 text-muted-foreground text-sm">
        Read <RelativeTime date={figures.readAt} />. {providerNameIn('beginning', provider)} reports usage with a delay,
        so the last hours may be missing.
        {figures.roster.unpricedRequests > 0 && ' Roster’s cost does not include requests with no known price.'}
      </p>
    </div>
  );
}

/** The saved key, masked, with Replace and Remove. */
function KeyLine({ state, onReplace }: { state: AdminKeyState; onReplace: () => void }) {
  const [asks, setAsks] = useState(false);
  const { mutate, isPending } = useRemoveAdminKey();
  const remove = () =>
    mutate(undefined, {
      onSuccess: () => {
        setAsks(false);
        toast({ title: 'Admin key removed', description: 'It is no longer stored here.' });
      },
      onError: showFailure('Failed to remove the admin key'),
    });
  return (
    <CardFooter className="py-2.5">
      {state.notice && (
        <Notice tone="warning" className="mt-1 mb-2">
          {state.notice}
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p>
          Admin key{' '}
          {state.last4 && (
            <>
              ending in <span className="font-mono text-foreground">{state.last4}</span>,{' '}
            </>
          )}
          {state.addedAt && `added on ${formatLongDate(state.addedAt)}`}
        </p>
        <div className="-me-2.5 flex gap-1 max-sm:-ms-2.5">
          <Button size="sm" variant="ghost" className="max-md:h-10" onClick={onReplace} aria-label="Replace admin key">
            Replace
          </Button>
          <Button
            size="sm"
            variant="ghost"
            className="max-md:h-10"
            onClick={() => setAsks(true)}
            aria-label="Remove admin key"
          >
            Remove
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Remove admin key"
        description="The provider’s own figures will no longer be shown. The key stays valid at the provider; revoke it there if nothing else uses it."
        confirmLabel="Remove admin key"
        pendingLabel="Removing..."
        destructive
        busy={isPending}
        onConfirm={remove}
      />
    </CardFooter>
  );
}
