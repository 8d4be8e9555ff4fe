import { z } from 'zod';
import type { TokenCounts } from './catalogue.ts';

/** No answer has used as many. */
const tokensAtMost = 100_000_000;

/** One figure of what a provider says it has used; 0 where it is none. */
export const tokenCount = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0));

/** What a provider says it has used; null where it cannot be true, so that it is estimated. */
export const believed = (counts: TokenCounts): TokenCounts | null =>
  Object.values(counts).every((count) => count <= tokensAtMost) ? counts : null;
