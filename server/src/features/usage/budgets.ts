import type { Budget, BudgetInput } from '@roster/contracts/usage/usage';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';
import type { AnalyticsRepository } from './analytics-repository.ts';
import type { BudgetRecord, BudgetRepository } from './budget-repository.ts';
import { dayInZone, startOfDay } from './zone-days.ts';

type Dependencies = {
  budgets: BudgetRepository;
  analytics: Pick<AnalyticsRepository, 'total' | 'byModelAndAssistant'>;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const month = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

/** A user’s monthly spending limits, in total or per assistant. */
export function budgetService({ budgets, analytics, ownsAssistant }: Dependencies) {
  /** USD since the start of the month in the budget’s own time zone. */
  async function spent(userId: number, { tz, assistantId }: BudgetRecord): Promise<number> {
    const today = dayInZone(tz, Date.now());
    const span = { from: startOfDay(tz, `${today.slice(0, 7)}-01`), to: endOfHour() };
    if (assistantId === null) return (await analytics.total(userId, span)).costUsd;
    const rows = await analytics.byModelAndAssistant(userId, span, assistantId);
    return rows.reduce((sum, row) => sum + row.costUsd, 0);
  }

  async function withState(userId: number, record: BudgetRecord): Promise<Budget> {
    const spentUsd = await spent(userId, record);
    const { id, amountUsd, warnAt, hardStop, tz, assistantId, assistantName } = record;
    const state = spentUsd >= amountUsd ? 'exceeded' : spentUsd >= amountUsd * warnAt ? 'warning' : 'within';
    const assistant = assistantId === null ? null : { id: assistantId, name: assistantName ?? '' };
    return { id, assistant, amountUsd, warnAt, hardStop, tz, spentUsd, state };
  }

  const list = async (userId: number): Promise<Budget[]> =>
    Promise.all((await budgets.list(userId)).map((record) => withState(userId, record)));

  return {
    list,

    async save(userId: number, input: z.output<typeof BudgetInput>): Promise<Budget> {
      if (input.assistantId !== null && !(await ownsAssistant(userId, input.assistantId)))
        throw new AppError('not_found', 'This assistant does not exist.');
      const id = await budgets.save(userId, input);
      const saved = (await list(userId)).find((budget) => budget.id === id);
      if (!saved) throw new AppError('not_found', 'This budget does not exist.');
      return saved;
    },

    async remove(userId: number, budgetId: number) {
      if (!(await budgets.delete(userId, budgetId))) throw new AppError('not_found', 'This budget does not exist.');
    },

    /**
     * Call it before a request. `way`: what the user can do about it.
     * @throws budget_exceeded if a hard stop is reached
     */
    async check(userId: number, assistantId: number | null, way = 'Raise it in Analytics, or send this one anyway.') {
      const stops = (await budgets.list(userId)).filter(
        (budget) => budget.hardStop && (budget.assistantId === null || budget.assistantId === assistantId),
      );
      for (const record of stops) {
        const { state, spentUsd, amountUsd, assistant, tz } = await withState(userId, record);
        if (state !== 'exceeded') continue;
        const name = month.format(new Date(`${dayInZone(tz, Date.now())}T00:00:00Z`));
        const whose = assistant ? ` for ${assistant.name}` : '';
        throw new AppError(
          'budget_exceeded',
          `Your budget of ${dollars.format(amountUsd)}${whose} for ${name} is used up: ${dollars.format(spentUsd)} so far. ${way}`,
        );
      }
    },
  };
}

export type BudgetService = ReturnType<typeof budgetService>;

/** Later than every call so far, on a quarter of an hour as the sums require. */
const endOfHour = () => Math.ceil((Date.now() + 1) / 3_600_000) * 3_600_000;
