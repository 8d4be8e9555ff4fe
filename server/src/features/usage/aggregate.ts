import { BilledTool, type Figures } from '@roster/contracts/usage/usage';
import { toColumns } from '#server/db/columns';
import type { Database } from '#server/db/schema';

/** The sums of a user's calls to the provider. */
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

/** Each sum by its column, from its name: for what asks the database. */
export const mapColumns = <T>(of: (sum: Sum) => T) => toColumns(mapSums(of));

/** The sums of a day are kept by model. Tool calls and fine-tuning jobs, which are not requests, have rows of their own. */
const toolPrefix = 'tool:';
const trainingPrefix = 'training:';
export const toolSumName = (tool: string) => `${toolPrefix}${tool}`;
export const trainingSumName = (model: string) => `${trainingPrefix}${model}`;
/** The tool whose sums these are; null: they are a model's. */
export const toolOfSum = (model: string): BilledTool | null =>
  model.startsWith(toolPrefix) ? (BilledTool.safeParse(model.slice(toolPrefix.length)).data ?? null) : null;
/** The base model of the fine-tuning jobs whose sums these are; null: they are not of jobs. */
export const trainedModelOfSum = (model: string): string | null =>
  model.startsWith(trainingPrefix) ? model.slice(trainingPrefix.length) : null;
/** True if calls with this purpose count as requests to a model. */
export const isRequest = (purpose: Database['usage_records']['purpose']) =>
  purpose !== 'tool' && purpose !== 'training';

export const zeroSums = mapSums(() => 0);
export const addSums = (a: Sums, b: Sums): Sums => mapSums((sum) => a[sum] + b[sum]);

/** Tool calls and fine-tuning jobs are not requests: only their cost belongs to the sums of requests. */
export const costOnly = ({ costUsd }: Pick<Sums, 'costUsd'>): Sums => ({ ...zeroSums, costUsd });

/** The cost is null where no price is known; the cost of tools and jobs may be all that is known. */
export const toFigures = (sums: Sums): Figures => ({
  ...sums,
  costUsd: sums.requests > 0 && sums.unpricedRequests === sums.requests && sums.costUsd === 0 ? null : sums.costUsd,
});
