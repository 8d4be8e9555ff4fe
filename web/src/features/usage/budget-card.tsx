import type { Budget } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, OctagonX, PiggyBank, Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { budgetsQuery, useRemoveBudget } from '#web/api/usage.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import type { Icon } from '#web/ui/icon.ts';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const states: Record<Budget['state'], { words: string; tone: BadgeTone; icon: Icon; fill: string }> = {
  within: { words: 'Within budget', tone: 'success', icon: CircleCheck, fill: 'fill-primary' },
  warning: { words: 'Warning', tone: 'warning', icon: TriangleAlert, fill: 'fill-warning' },
  exceeded: { words: 'Exceeded', tone: 'destructive', icon: OctagonX, fill: 'fill-destructive' },
};

const budgetName = ({ assistant }: Pick<Budget, 'assistant'>) => assistant?.name ?? 'All requests';

const monthIn = (tz: string) => new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: tz }).format(new Date());

// Forms bring their library and all schemas.
const BudgetDialog = lazyPart(async () => (await import('./budget-dialog.tsx')).BudgetDialog);

type Editing = { budget: Budget | null } | null;

/** Monthly budgets and how much of them is used. */
export function BudgetCard({ tz, className }: { tz: string; className?: string | undefined }) {
  const query = useQuery(budgetsQuery);
  const [editing, setEditing] = useState<Editing>(null);
  const budgets = query.data;
  return (
    <Card aria-label="Budgets" className={classNames('flex min-w-0 flex-col', className)}>
      <CardHeader
        title="Budgets"
        description="Monthly spending limits."
        action={
          budgets &&
          budgets.length > 0 && (
            <Button size="sm" icon={Plus} onClick={() => setEditing({ budget: null })}>
              Add budget
            </Button>
          )
        }
      />
      {budgets === undefined ? (
        query.isError && !query.isFetching ? (
          <ErrorState
            title="Failed to load budgets"
            message={errorText(query.error)}
            onRetry={() => void query.refetch()}
            className="m-5"
          />
        ) : (
          <LoadingBudget />
        )
      ) : budgets.length === 0 ? (
        <EmptyState
          bare
          icon={PiggyBank}
          text="No budgets yet. A budget warns you in Chat and can stop further messages."
          action={
            <Button icon={Plus} onClick={() => setEditing({ budget: null })}>
              Add budget
            </Button>
          }
          className="flex-1 justify-center"
        />
      ) : (
        <>
          <ul className="mt-2 divide-y divide-border px-5 pb-2">
            {budgets.map((budget) => (
              <BudgetRow key={budget.id} budget={budget} onChange={() => setEditing({ budget })} />
            ))}
          </ul>
          <CardFooter className="mt-auto">Requests with no known price are not included.</CardFooter>
        </>
      )}
      {editing && budgets && (
        <BudgetDialog budget={editing.budget} budgets={budgets} tz={tz} onClose={() => setEditing(null)} />
      )}
    </Card>
  );
}

function BudgetRow({ budget, onChange }: { budget: Budget; onChange: () => void }) {
  const { words, tone, icon, fill } = states[budget.state];
  const share = formatShare(budget.spentUsd, budget.amountUsd);
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="wrap-anywhere min-w-0 font-medium">{budgetName(budget)}</h3>
        <Badge tone={tone} icon={icon}>
          {words}
        </Badge>
      </div>
      <p className="mt-1 text-muted-foreground text-sm tabular-nums">
        <span className="text-foreground">{formatCost(budget.spentUsd)}</span> of {formatCost(budget.amountUsd)} in{' '}
        {monthIn(budget.tz)} · {share}
      </p>
      <ShareBar
        className="mt-2"
        whole={budget.amountUsd}
        parts={[{ key: 'spent', value: budget.spentUsd, className: fill }]}
      />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="text-muted-foreground text-sm">
          Warns at {formatShare(budget.warnAt, 1)}. {budget.hardStop ? 'Stops at 100%.' : 'Warns only.'}
        </p>
        <div className="-me-2.5 flex gap-1 max-sm:-ms-2.5">
          <Button
            size="sm"
            variant="ghost"
            className="max-md:h-10"
            onClick={onChange}
            aria-label={`Change budget for ${inSentence(budget)}`}
          >
            Change
          </Button>
          <RemoveButton budget={budget} />
        </div>
      </div>
    </li>
  );
}

/** Removes a budget after confirmation. */
function RemoveButton({ budget }: { budget: Budget }) {
  const [asks, setAsks] = useState(false);
  const { mutate, isPending } = useRemoveBudget();
  const remove = () =>
    mutate(budget.id, {
      onSuccess: () => {
        setAsks(false);
        toast({ title: 'Budget removed', description: `The budget for ${inSentence(budget)} has been removed.` });
      },
      onError: showFailure('Failed to remove the budget'),
    });
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        className="max-md:h-10"
        onClick={() => setAsks(true)}
        aria-label={`Remove budget for ${inSentence(budget)}`}
      >
        Remove
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Remove budget"
        description={`Remove the budget of ${formatCost(budget.amountUsd)} a month for ${inSentence(budget)}? You will no longer be warned or stopped.`}
        confirmLabel="Remove"
        pendingLabel="Removing..."
        destructive
        busy={isPending}
        onConfirm={remove}
      />
    </>
  );
}

const inSentence = ({ assistant }: Budget) => assistant?.name ?? 'all requests';

function LoadingBudget() {
  return (
    <div aria-busy="true" className="mt-2 px-5 py-3">
      <output className="sr-only">Loading budgets</output>
      <div className="flex justify-between gap-4">
        <Skeleton className="h-5 w-28" />
        <Skeleton className="h-5 w-24" />
      </div>
      <Skeleton className="mt-1 h-5 w-48 max-w-full" />
      <Skeleton className="mt-2 h-1.5 w-full" />
      <Skeleton className="mt-2 h-8 w-56 max-w-full" />
    </div>
  );
}
