import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PiggyBank, Plus } from 'lucide-react';
import { useState } from 'react';
import { type AnyBudget, budgetSubject, budgetsQuery, isProjectBudget } from '#web/api/usage.ts';
import { BudgetStateBadge, BudgetUse } from '#web/components/budgets/budget-use.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

// Forms bring their library and all schemas.
const BudgetDialog = lazyPart(async () => (await import('#web/components/budgets/budget-dialog.tsx')).BudgetDialog);

type Editing = { budget: AnyBudget | null } | null;

/** Monthly budgets and how much of them is used. */
export function BudgetCard({ tz }: { tz: string }) {
  const query = useQuery(budgetsQuery);
  const [editing, setEditing] = useState<Editing>(null);
  const budgets = query.data;
  return (
    <Card aria-label="Budgets" className="flex min-w-0 flex-col">
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
              <BudgetRow key={keyOf(budget)} budget={budget} onChange={() => setEditing({ budget })} />
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

const keyOf = (budget: AnyBudget) => `${isProjectBudget(budget) ? 'project' : 'budget'} ${budget.id}`;

function BudgetRow({ budget, onChange }: { budget: AnyBudget; onChange: () => void }) {
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="wrap-anywhere min-w-0 font-medium">
          {isProjectBudget(budget) ? (
            <>
              Project{' '}
              <Link
                to="/projects/$id"
                params={{ id: budget.project.id }}
                className="rounded-xs underline decoration-border-strong underline-offset-4"
              >
                <bdi>{budget.project.name}</bdi>
              </Link>
            </>
          ) : (
            (budgetSubject(budget) ?? 'All requests')
          )}
        </h3>
        <BudgetStateBadge budget={budget} />
      </div>
      <BudgetUse budget={budget} onChange={onChange} />
    </li>
  );
}

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
