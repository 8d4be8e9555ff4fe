import { AppError } from '#server/errors';
import type { Caller } from '#server/http/caller';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Before anything is spent. @throws budget_exceeded */
export function refuseOverTokenBudget({ monthlyBudgetUsd, spentUsd }: Pick<Caller, 'monthlyBudgetUsd' | 'spentUsd'>) {
  if (monthlyBudgetUsd !== null && spentUsd >= monthlyBudgetUsd)
    throw new AppError(
      'budget_exceeded',
      `The budget of ${dollars.format(monthlyBudgetUsd)} a month of this access token is used up: ${dollars.format(spentUsd)} so far.`,
    );
}
