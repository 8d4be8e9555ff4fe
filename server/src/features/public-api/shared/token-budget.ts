import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { AppError } from '#server/lib/errors';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Call before anything is spent. @throws budget_exceeded */
export function refuseOverTokenBudget({
  monthlyBudgetUsd,
  spentUsd,
}: Pick<ApiPrincipal, 'monthlyBudgetUsd' | 'spentUsd'>) {
  if (monthlyBudgetUsd !== null && spentUsd >= monthlyBudgetUsd)
    throw new AppError(
      'budget_exceeded',
      `The budget of ${dollars.format(monthlyBudgetUsd)} a month of this access token is used up: ${dollars.format(spentUsd)} so far.`,
    );
}
