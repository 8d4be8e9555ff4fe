import type { Usage } from '@roster/contracts/chat';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../db/schema.ts';
import type { TokenCounts } from '../../provider/catalogue.ts';

/** The columns of a record that are told with its message; all null where a join found none. */
export const usageColumns = [
  'usage_records.input_tokens',
  'usage_records.cached_tokens',
  'usage_records.output_tokens',
  'usage_records.reasoning_tokens',
  'usage_records.cost_usd',
  'usage_records.estimated',
] as const;

type UsageRow = Pick<
  Nullable<Selectable<Database['usage_records']>>,
  'input_tokens' | 'cached_tokens' | 'output_tokens' | 'reasoning_tokens' | 'cost_usd' | 'estimated'
>;
type Nullable<T> = { [K in keyof T]: T[K] | null };

export function toUsage(row: UsageRow): Usage | null {
  if (row.input_tokens === null) return null;
  return {
    inputTokens: row.input_tokens,
    cachedTokens: row.cached_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    reasoningTokens: row.reasoning_tokens ?? 0,
    costUsd: row.cost_usd,
    estimated: row.estimated === 1,
  };
}

export type UsageRecord = TokenCounts & {
  runId: number | null;
  threadId: number | null;
  assistantId: number | null;
  purpose: 'chat' | 'title';
  model: string;
  costUsd: number | null;
  priceAsOf: string | null;
  estimated: boolean;
  createdAt: string;
};

export function usageRepository(db: Kysely<Database>) {
  return {
    /** Once per run and purpose: writing it again changes nothing. */
    async record(userId: number, usage: UsageRecord) {
      await db
        .insertInto('usage_records')
        .values({
          user_id: userId,
          run_id: usage.runId,
          thread_id: usage.threadId,
          assistant_id: usage.assistantId,
          purpose: usage.purpose,
          model: usage.model,
          input_tokens: usage.inputTokens,
          cached_tokens: usage.cachedTokens,
          cache_write_tokens: usage.cacheWriteTokens,
          output_tokens: usage.outputTokens,
          reasoning_tokens: usage.reasoningTokens,
          cost_usd: usage.costUsd,
          price_as_of: usage.priceAsOf,
          estimated: usage.estimated ? 1 : 0,
          day: usage.createdAt.slice(0, 10),
          created_at: usage.createdAt,
        })
        .onConflict((conflict) => conflict.columns(['run_id', 'purpose']).doNothing())
        .execute();
    },
  };
}
