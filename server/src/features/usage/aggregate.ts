import { BilledTool, type Figures } from '@roster/contracts/usage/usage';
import { toColumns } from '#server/db/columns';
import type { Database } from '#server/db/schema';
import { roundUsd } from '#server/lib/usd';

type Sum = keyof Figures;
export type Sums = Record<Sum, number>;

const mapSums = <T>(of: (sum: Sum) => T): Record<Sum, T> => ({
  requests: of('requests'),
  inputTokens: of('inputTokens'),
  cachedTokens: of('cachedTokens'),
  outputTokens: of('outputTokens'),
  reasoningTokens: of('reasoningTokens'),
  costUsd: of('costUsd'),
  unpricedRequests: of('unpricedRequests'),
  estimatedRequests: of('estimatedRequests'),
});

/** Maps each sum’s column to a value, for queries. */
export const mapColumns = <T>(of: (sum: Sum) => T) => toColumns(mapSums(of));

/**
 * Prefixes in daily sums, which are stored by model. Tool calls and fine-tuning jobs are not requests and have rows of
 * their own.
 */
const toolPrefix = 'tool:';
const trainingPrefix = 'training:';
export const toolSumName = (tool: string) => `${toolPrefix}${tool}`;
export const trainingSumName = (model: string) => `${trainingPrefix}${model}`;
/** The tool of a row of sums; null: the row is a model’s. */
export const toolOfSum = (model: string): BilledTool | null =>
  model.startsWith(toolPrefix) ? (BilledTool.safeParse(model.slice(toolPrefix.length)).data ?? null) : null;
/** The base model of a row of fine-tuning jobs; null: the row is not of jobs. */
export const trainedModelOfSum = (model: string): string | null =>
  model.startsWith(trainingPrefix) ? model.slice(trainingPrefix.length) : null;
/** True if calls with this purpose count as requests to a model. */
export const isRequest = (purpose: Database['usage_records']['purpose']) =>
  purpose !== 'tool' && purpose !== 'training';

export const zeroSums = mapSums(() => 0);
export const addSums = (a: Sums, b: Sums): Sums => mapSums((sum) => a[sum] + b[sum]);

/** For tool calls and fine-tuning jobs, which are not requests: only their cost is added to the sums of requests. */
export const costOnly = ({ costUsd }: Pick<Sums, 'costUsd'>): Sums => ({ ...zeroSums, costUsd });

/** The cost is null if no price is known. The cost of tools and jobs may be the only known one. */
export const toFigures = (sums: Sums): Figures => ({
  ...sums,
  costUsd:
    sums.requests > 0 && sums.unpricedRequests === sums.requests && sums.costUsd === 0 ? null : roundUsd(sums.costUsd),
});
