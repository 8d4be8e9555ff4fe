import { BilledTool, type Figures } from '@roster/contracts/usage';
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

const mark = 'tool:';
/** The sums of a day are kept by model; those of a tool's calls stand beside them. */
export const sumOfTool = (tool: string) => `${mark}${tool}`;
/** The tool whose sums these are; null: they are a model's. */
export const toolOf = (model: string): BilledTool | null =>
  model.startsWith(mark) ? (BilledTool.safeParse(model.slice(mark.length)).data ?? null) : null;

export const noUsage = each(() => 0);
export const plus = (a: Sums, b: Sums): Sums => each((sum) => a[sum] + b[sum]);

/** A tool's calls are no requests: of all that they are, their cost belongs to other sums. */
export const costAlone = ({ costUsd }: Pick<Sums, 'costUsd'>): Sums => ({ ...noUsage, costUsd });

/** As they are shown: where no call has a price, nothing is said of the cost. */
export const toFigures = (sums: Sums): Figures => ({
  ...sums,
  costUsd: sums.requests > 0 && sums.unpricedRequests === sums.requests ? null : sums.costUsd,
});
