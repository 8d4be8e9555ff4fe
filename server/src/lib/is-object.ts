import { isExactNumber } from './exact-json.ts';

export type JsonObject = Record<string, unknown>;

/** `{…}`, as against a list, a text, a number or nothing. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
