import { type Budget, type BudgetInput, type ProjectBudget, usage } from '@roster/contracts/usage/usage';
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

type UsageRange = { from: string; to: string; tz: string };

/** Selects calls of a range of days. `none`: chats without an assistant. */
type RequestScope = UsageRange & {
  model?: string;
  assistantId?: number | 'none';
  accessTokenId?: number;
  projectId?: number;
  /** Fine-tuning jobs instead of requests. */
  purpose?: 'training';
};

const all = ['usage'] as const;

/** Usage changes with each answer, so it is refetched whenever it is shown. */
const fresh = { staleTime: 0, refetchOnMount: 'always' } as const;

export const analyticsQuery = (range: UsageRange) =>
  queryOptions({
    queryKey: [...all, 'analytics', range],
    queryFn: ({ signal }) => call(usage.analytics, { query: range }, signal),
    placeholderData: keepPreviousData,
    ...fresh,
  });

/** By the project that each conversation is in now. */
export const projectCostsQuery = (range: UsageRange) =>
  queryOptions({
    queryKey: [...all, 'projects', range],
    queryFn: ({ signal }) => call(usage.byProject, { query: range }, signal),
    placeholderData: keepPreviousData,
    ...fresh,
  });

export const requestsQuery = (scope: RequestScope) =>
  infiniteQueryOptions({
    queryKey: [...all, 'requests', scope],
    queryFn: ({ pageParam, signal }) =>
      call(usage.requests, { query: { ...scope, limit: 50, ...(pageParam !== '' && { cursor: pageParam }) } }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...fresh,
  });

export const pricesQuery = queryOptions({
  queryKey: [...all, 'prices'],
  queryFn: ({ signal }) => call(usage.prices, {}, signal),
  ...fresh,
});

export type AnyBudget = Budget | ProjectBudget;
/** The calls that a budget counts. */
export type BudgetScope = { assistantId: number | null } | { projectId: number };

export const isProjectBudget = (budget: AnyBudget): budget is ProjectBudget => 'project' in budget;
/** undefined: the budget of all requests. */
export const budgetSubject = (budget: AnyBudget): string | undefined =>
  isProjectBudget(budget) ? budget.project.name : budget.assistant?.name;

/** All budgets, the general one first and those of projects last. */
export const budgetsQuery = queryOptions({
  queryKey: [...all, 'budgets'],
  queryFn: async ({ signal }): Promise<AnyBudget[]> => {
    const [general, ofProjects] = await Promise.all([
      call(usage.budgets, {}, signal),
      call(usage.projectBudgets, {}, signal),
    ]);
    return [...general, ...ofProjects];
  },
  ...fresh,
});

type NewPrice = { model: string; input: number; cachedInput: number | null; output: number };

export function useSetPrice() {
  return useMutation({
    mutationFn: (price: NewPrice) => call(usage.setPrice, { body: price }),
    onSuccess: useRefetch(all),
  });
}

export function useRemovePrice() {
  return useMutation({
    mutationFn: (model: string) => call(usage.removePrice, { body: { model } }),
    onSuccess: useRefetch(all),
  });
}

type BudgetTerms = Omit<z.input<typeof BudgetInput>, 'assistantId'>;

export function useSaveBudget() {
  return useMutation({
    mutationFn: ({ scope, ...terms }: BudgetTerms & { scope: BudgetScope }): Promise<AnyBudget> =>
      'projectId' in scope
        ? call(usage.saveProjectBudget, { body: { ...scope, ...terms } })
        : call(usage.saveBudget, { body: { ...scope, ...terms } }),
    onSuccess: useRefetch(all),
  });
}

export function useRemoveBudget() {
  return useMutation({
    mutationFn: (budget: AnyBudget) =>
      call(isProjectBudget(budget) ? usage.removeProjectBudget : usage.removeBudget, { params: { id: budget.id } }),
    onSuccess: useRefetch(all),
  });
}
