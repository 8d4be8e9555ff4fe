import { isExactNumber } from './exact-json.ts';

export type JsonObject = Record<string, unknown>;

/** True for `{…}`, but not for arrays, strings, numbers or null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
