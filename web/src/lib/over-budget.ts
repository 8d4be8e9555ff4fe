import { ApiError } from '#web/lib/api.ts';

/** Refused because of a budget with a hard stop; it goes through when its sender insists. */
export const isOverBudget = (error: unknown): boolean => error instanceof ApiError && error.code === 'budget_exceeded';
