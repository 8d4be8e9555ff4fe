import { ApiError } from './api-client.ts';

/** Refused because of a budget with a hard stop; the user may send anyway. */
export const isBudgetError = (error: unknown): boolean => error instanceof ApiError && error.code === 'budget_exceeded';
