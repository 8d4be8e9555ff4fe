import type { Figures } from '@roster/contracts/usage';
import { toColumns } from '#server/db/columns';

/** The sums of a user's calls to the provider. */
type Sum = keyof Figures;
export type Sums = Record<Sum, number>;

const each = <T>(of: (sum: Sum) => T): Record<Sum, T> => ({
  requests: of('requests'),
  inputTokens: of('inputTokens'),
  cachedTokens: of('cachedTokens'),
  outputTokens: of('outputTokens'),
  reasoningTokens: of('reasoningTokens'),
  costUsd: of('costUsd'),
  unpricedRequests: of('unpricedRequests'),
  estimatedRequests: of('estimatedRequests'),
});

/** Each sum by its column, from its name: for what asks the database. */
export const byColumn = <T>(of: (sum: Sum) => T) => toColumns(each(of));

export const noUsage = each(() => 0);
export const plus = (a: Sums, b: Sums): Sums => each((sum) => a[sum] + b[sum]);

/** As they are shown: where no call has a price, nothing is said of the cost. */
export const toFigures = (sums: Sums): Figures => ({
  ...sums,
  costUsd: sums.requests > 0 && sums.unpricedRequests === sums.requests ? null : sums.costUsd,
});
