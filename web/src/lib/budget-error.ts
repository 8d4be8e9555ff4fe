import { ApiError } from './api-client.ts';

/** Refused because of a budget with a hard stop; it goes through when its sender insists. */
export const isBudgetError = (error: unknown): boolean => error instanceof ApiError && error.code === 'budget_exceeded';
