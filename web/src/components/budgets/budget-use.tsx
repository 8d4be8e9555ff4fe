import type { Budget } from '@roster/contracts/usage/usage';
import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { type AnyBudget, budgetSubject, isProjectBudget, useRemoveBudget } from '#web/api/usage.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import type { Icon } from '#web/ui/icon.ts';
import { toast } from '#web/ui/states/toast.tsx';

const states: Record<Budget['state'], { words: string; tone: BadgeTone; icon: Icon; fill: string }> = {
  within: { words: 'Within budget', tone: 'success', icon: CircleCheck, fill: 'fill-primary' },
  warning: { words: 'Warning', tone: 'warning', icon: TriangleAlert, fill: 'fill-warning' },
  exceeded: { words: 'Exceeded', tone: 'destructive', icon: OctagonX, fill: 'fill-destructive' },
};

const monthIn = (tz: string) => new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: tz }).format(new Date());

const inSentence = (budget: AnyBudget) => {
  const name = budgetSubject(budget);
  if (name === undefined) return 'all requests';
  return isProjectBudget(budget) ? `the project ${name}` : name;
};

export function BudgetStateBadge({ budget }: { budget: AnyBudget }) {
  const { words, tone, icon } = states[budget.state];
  return (
    <Badge tone={tone} icon={icon}>
      {words}
    </Badge>
  );
}

type BudgetUseProps = { budget: AnyBudget; onChange: () => void };

/** How much of a budget is used, with buttons to change and remove it. */
export function BudgetUse({ budget, onChange }: BudgetUseProps) {
  return (
    <>
      <p className="mt-1 text-muted-foreground text-sm tabular-nums">
        <span className="text-foreground">{formatCost(budget.spentUsd)}</span> of {formatCost(budget.amountUsd)} in{' '}
        {monthIn(budget.tz)} · {formatShare(budget.spentUsd, budget.amountUsd)}
      </p>
      <ShareBar
        className="mt-2"
        whole={budget.amountUsd}
        parts={[{ key: 'spent', value: budget.spentUsd, className: states[budget.state].fill }]}
      />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="text-muted-foreground text-sm">
          Warns at {formatShare(budget.warnAt, 1)}. {budget.hardStop ? 'Stops at 100%.' : 'Warns only.'}
        </p>
        <div className="-mx-2.5 flex gap-1">
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
    </>
  );
}

/** Removes a budget after confirmation. */
function RemoveButton({ budget }: { budget: AnyBudget }) {
  const [asks, setAsks] = useState(false);
  const { mutate, isPending } = useRemoveBudget();
  const remove = () =>
    mutate(budget, {
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
