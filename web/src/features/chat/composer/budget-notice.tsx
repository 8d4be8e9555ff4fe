import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { OctagonX, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type AnyBudget, budgetSubject, budgetsQuery, isProjectBudget } from '#web/api/usage.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { formatShare } from '#web/lib/text/share.ts';

/** Selects the budgets that apply to a message. */
type BudgetScope = { assistantId: number | null; projectId?: number | undefined };
type BudgetNoticeProps = BudgetScope & { isAnswering: boolean };

function applies(budget: AnyBudget, { assistantId, projectId }: BudgetScope): boolean {
  if (isProjectBudget(budget)) return budget.project.id === projectId;
  return budget.assistant === null || budget.assistant.id === assistantId;
}

/** The budget closest to its limit, of those that apply to a message here. */
function mostUsed(budgets: readonly AnyBudget[] | undefined, scope: BudgetScope): AnyBudget | undefined {
  return budgets
    ?.filter((budget) => budget.state !== 'within' && applies(budget, scope))
    .toSorted((a, b) => b.spentUsd / b.amountUsd - a.spentUsd / a.amountUsd)[0];
}

/** A muted line while a budget is nearly or completely used up. */
export function BudgetNotice({ assistantId, projectId, isAnswering }: BudgetNoticeProps) {
  const { data, refetch } = useQuery(budgetsQuery);
  const wasAnswering = useRef(isAnswering);
  useEffect(() => {
    if (wasAnswering.current && !isAnswering) void refetch();
    wasAnswering.current = isAnswering;
  }, [isAnswering, refetch]);
  const budget = mostUsed(data, { assistantId, projectId });
  if (!budget) return null;
  const isExceeded = budget.state === 'exceeded';
  const Icon = isExceeded ? OctagonX : TriangleAlert;
  const share = formatShare(budget.spentUsd, budget.amountUsd);
  const subject = budgetSubject(budget);
  const kind = isProjectBudget(budget) ? 'the project ' : '';
  const whose = subject === undefined ? '' : ` for ${kind}${subject}`;
  return (
    <output className="mb-2 flex items-start gap-2 px-1 text-muted-foreground text-sm [overflow-wrap:anywhere]">
      <Icon
        aria-hidden
        className={isExceeded ? 'mt-0.5 size-4 text-destructive-text' : 'mt-0.5 size-4 text-warning-text'}
      />
      <span className="sentence min-w-0 flex-1">
        {isExceeded ? `This month’s budget${whose} is used up: ` : `${share} of this month’s budget${whose} is used: `}
        {formatCost(budget.spentUsd)} of {formatCost(budget.amountUsd)}.{' '}
        <Link
          to="/analytics"
          search={{ tab: 'budgets' }}
          className="rounded-xs text-foreground underline underline-offset-4"
        >
          Analytics
        </Link>
      </span>
    </output>
  );
}
