import type { Budget, BudgetInput, ProjectBudget, ProjectBudgetInput } from '@roster/contracts/usage/usage';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';
import { roundUsd } from '#server/lib/usd';
import type { AnalyticsRepository, Span } from './analytics-repository.ts';
import type { BudgetedCall, BudgetRecord, BudgetRepository, BudgetTerms, HardStop } from './budget-repository.ts';
import type { ProjectBudgetRecord, ProjectBudgetRepository } from './project-budget-repository.ts';
import { dayInZone, startOfDay } from './zone-days.ts';

type Dependencies = {
  budgets: BudgetRepository;
  ofProjects: ProjectBudgetRepository;
  analytics: Pick<AnalyticsRepository, 'total' | 'byModelAndAssistant' | 'byProject'>;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const month = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

const noBudget = () => new AppError('not_found', 'This budget does not exist.');

/** From the start of the month in the budget’s own time zone. */
function thisMonth(tz: string): Span {
  const today = dayInZone(tz, Date.now());
  return { from: startOfDay(tz, `${today.slice(0, 7)}-01`), to: endOfHour() };
}

/** Later than every call so far, on a quarter of an hour as the sums require. */
const endOfHour = () => Math.ceil((Date.now() + 1) / 3_600_000) * 3_600_000;

type Scope = { assistantId: number | null; projectId: number | null };

/** USD this month, of all calls or of those in the scope. */
const spent = async (parts: Dependencies, userId: number, scope: Scope, span: Span) =>
  roundUsd(await sumOf(parts, userId, scope, span));

async function sumOf({ analytics }: Dependencies, userId: number, { assistantId, projectId }: Scope, span: Span) {
  if (projectId !== null) {
    const [row] = await analytics.byProject(userId, span, projectId);
    return row?.sums.costUsd ?? 0;
  }
  if (assistantId === null) return (await analytics.total(userId, span)).costUsd;
  const rows = await analytics.byModelAndAssistant(userId, span, assistantId);
  return rows.reduce((sum, row) => sum + row.costUsd, 0);
}

function withState({ amountUsd, warnAt, hardStop, tz }: BudgetTerms, spentUsd: number) {
  const state: Budget['state'] =
    spentUsd >= amountUsd ? 'exceeded' : spentUsd >= amountUsd * warnAt ? 'warning' : 'within';
  return { amountUsd, warnAt, hardStop, tz, spentUsd, state };
}

async function toBudget(parts: Dependencies, userId: number, record: BudgetRecord): Promise<Budget> {
  const { id, assistantId, assistantName, tz } = record;
  const spentUsd = await spent(parts, userId, { assistantId, projectId: null }, thisMonth(tz));
  const assistant = assistantId === null ? null : { id: assistantId, name: assistantName ?? '' };
  return { id, assistant, ...withState(record, spentUsd) };
}

/** Sums all projects once for each time zone. */
async function toProjectBudgets(
  { analytics }: Dependencies,
  userId: number,
  records: ProjectBudgetRecord[],
): Promise<ProjectBudget[]> {
  const zones = [...new Set(records.map(({ tz }) => tz))];
  const sums = await Promise.all(
    zones.map(async (tz) => {
      const rows = await analytics.byProject(userId, thisMonth(tz));
      return [tz, new Map(rows.map(({ project, sums: { costUsd } }) => [project.id, costUsd]))] as const;
    }),
  );
  const ofZone = new Map(sums);
  return records.map(({ id, projectId, projectName, ...terms }) => ({
    id,
    project: { id: projectId, name: projectName },
    ...withState(terms, ofZone.get(terms.tz)?.get(projectId) ?? 0),
  }));
}

const subjectOf = ({ assistantId, projectId, name }: HardStop) =>
  projectId !== null ? ` for the project ${name ?? ''}` : assistantId !== null ? ` for ${name ?? ''}` : '';

/** A user’s monthly spending limits, in total, per assistant or per project. */
export function budgetService(dependencies: Dependencies) {
  const { budgets, ofProjects, ownsAssistant } = dependencies;

  const list = async (userId: number): Promise<Budget[]> =>
    Promise.all((await budgets.list(userId)).map((record) => toBudget(dependencies, userId, record)));

  return {
    list,

    async save(userId: number, input: z.output<typeof BudgetInput>): Promise<Budget> {
      if (input.assistantId !== null && !(await ownsAssistant(userId, input.assistantId)))
        throw new AppError('not_found', 'This assistant does not exist.');
      const id = await budgets.save(userId, input);
      const saved = (await list(userId)).find((budget) => budget.id === id);
      if (!saved) throw noBudget();
      return saved;
    },

    async remove(userId: number, budgetId: number) {
      if (!(await budgets.delete(userId, budgetId))) throw noBudget();
    },

    projects: {
      list: async (userId: number): Promise<ProjectBudget[]> =>
        toProjectBudgets(dependencies, userId, await ofProjects.list(userId)),

      async save(userId: number, input: z.output<typeof ProjectBudgetInput>): Promise<ProjectBudget> {
        const id = await ofProjects.save(userId, input.projectId, input);
        if (id === undefined) throw new AppError('not_found', 'This project does not exist.');
        const records = (await ofProjects.list(userId)).filter((record) => record.id === id);
        const [saved] = await toProjectBudgets(dependencies, userId, records);
        if (!saved) throw noBudget();
        return saved;
      },

      async remove(userId: number, budgetId: number) {
        if (!(await ofProjects.delete(userId, budgetId))) throw noBudget();
      },
    },

    /**
     * Call it before a request. `way`: what the user can do about it.
     * @throws budget_exceeded if a hard stop is reached
     */
    async check(userId: number, call: BudgetedCall, way = 'Raise it in Analytics, or send this one anyway.') {
      for (const stop of await budgets.hardStops(userId, call)) {
        const spentUsd = await spent(dependencies, userId, stop, thisMonth(stop.tz));
        if (spentUsd < stop.amountUsd) continue;
        const name = month.format(new Date(`${dayInZone(stop.tz, Date.now())}T00:00:00Z`));
        throw new AppError(
          'budget_exceeded',
          `Your budget of ${dollars.format(stop.amountUsd)}${subjectOf(stop)} for ${name} is used up: ${dollars.format(spentUsd)} so far. ${way}`,
        );
      }
    },
  };
}

export type BudgetService = ReturnType<typeof budgetService>;
export type CheckBudget = BudgetService['check'];
