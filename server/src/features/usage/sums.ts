import type { Database } from '../../db/schema.ts';

/** The columns of the sums, as a record or a sum of records adds to them. */
export type Sums = Pick<
  Database['usage_by_quarter'],
  | 'requests'
  | 'input_tokens'
  | 'cached_tokens'
  | 'output_tokens'
  | 'reasoning_tokens'
  | 'cost_usd'
  | 'unpriced_requests'
  | 'estimated_requests'
>;

export const noUsage: Sums = {
  requests: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0,
  unpriced_requests: 0,
  estimated_requests: 0,
};

export const plus = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  input_tokens: a.input_tokens + b.input_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  cost_usd: a.cost_usd + b.cost_usd,
  unpriced_requests: a.unpriced_requests + b.unpriced_requests,
  estimated_requests: a.estimated_requests + b.estimated_requests,
});
