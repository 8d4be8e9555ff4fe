import type { Figures } from '@roster/contracts/usage';

/** What is summed of a user's calls to the provider. */
type Sum =
  | 'requests'
  | 'inputTokens'
  | 'cachedTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'costUsd'
  | 'unpricedRequests'
  | 'estimatedRequests';
export type Sums = Record<Sum, number>;

/** Each sum by its column, from its name: for what asks the database. */
export const byColumn = <T>(of: (sum: Sum) => T) => ({
  requests: of('requests'),
  input_tokens: of('inputTokens'),
  cached_tokens: of('cachedTokens'),
  output_tokens: of('outputTokens'),
  reasoning_tokens: of('reasoningTokens'),
  cost_usd: of('costUsd'),
  unpriced_requests: of('unpricedRequests'),
  estimated_requests: of('estimatedRequests'),
});

const each = (of: (sum: Sum) => number): Sums => ({
  requests: of('requests'),
  inputTokens: of('inputTokens'),
  cachedTokens: of('cachedTokens'),
  outputTokens: of('outputTokens'),
  reasoningTokens: of('reasoningTokens'),
  costUsd: of('costUsd'),
  unpricedRequests: of('unpricedRequests'),
  estimatedRequests: of('estimatedRequests'),
});

export const noUsage = each(() => 0);
export const plus = (a: Sums, b: Sums): Sums => each((sum) => a[sum] + b[sum]);

/** As they are shown: where no call has a price, nothing is said of the cost. */
export const toFigures = (sums: Sums): Figures => ({
  ...sums,
  costUsd: sums.requests > 0 && sums.unpricedRequests === sums.requests ? null : sums.costUsd,
});
