import type { RunEvent } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { estimateTokens } from '#server/features/chat/messages/token-estimate';
import type { PricingService } from '#server/features/usage/pricing';
import type { UsageRecord } from '#server/features/usage/repository';
import type { TokenCounts } from '#server/provider/catalogue';
import type { AnswerEnd, AnswerRequest } from '#server/provider/provider';
import type { FoldedLog } from './event-log.ts';
import type { LiveRun, RunOrder } from './live-run.ts';

type Of = Pick<RunOrder, 'runId' | 'userId' | 'threadId' | 'assistantId' | 'comparisonId'>;

/** What a run has cost, at the price of the day. */
export function runUsage({ price }: Pick<PricingService, 'price'>) {
  async function recordOf(
    { runId, userId, threadId, assistantId, comparisonId }: Of,
    {
      model,
      counts,
      estimated,
      createdAt,
    }: Pick<UsageRecord, 'model' | 'estimated' | 'createdAt'> & { counts: TokenCounts },
    within?: Kysely<Database>,
  ): Promise<UsageRecord> {
    const cost = await price(userId, model, counts, within);
    const made = { runId, threadId, assistantId, comparisonId, purpose: 'chat' } as const;
    return { ...counts, ...cost, ...made, model, estimated, createdAt };
  }

  return {
    /** Of a run of this process; null where nothing was asked for, or it has cost nothing. */
    async ofEnd(
      run: LiveRun,
      error: RunError | null,
      reported: AnswerEnd['usage'],
      createdAt: string,
    ): Promise<UsageRecord | null> {
      const { order, prepared, log } = run;
      if (!prepared || !isBilled(error, run)) return null;
      const { request, fileTokens } = prepared;
      const counts = reported ?? estimate(request, log, fileTokens);
      return recordOf(order, { model: request.model, counts, estimated: reported === null, createdAt });
    },
    /** Of a run whose process is gone, by the words that had been stored. */
    ofAbandoned(
      of: Of & { model: string },
      log: FoldedLog,
      turns: { text: string }[],
      createdAt: string,
      within: Kysely<Database>,
    ): Promise<UsageRecord> {
      const counts = estimate({ instructions: '', turns }, log);
      return recordOf(of, { model: of.model, counts, estimated: true, createdAt }, within);
    },
  };
}

/** What was refused cost nothing, and neither did what was stopped while the provider was not asked. */
const isBilled = (error: RunError | null, { log, isAsked }: LiveRun) =>
  (error === null && isAsked) || log.text !== '' || log.reasoning !== '';

/** Where the provider did not say: from the lengths of what went out and what came in. */
function estimate(
  request: Pick<AnswerRequest, 'instructions'> & { turns: { text: string }[] },
  log: FoldedLog,
  fileTokens = 0,
): TokenCounts {
  const reasoningTokens = estimateTokens(log.reasoning);
  return {
    inputTokens: request.turns.reduce(
      (sum, { text }) => sum + estimateTokens(text),
      estimateTokens(request.instructions) + fileTokens,
    ),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateTokens(log.text) + reasoningTokens,
    reasoningTokens,
  };
}

export function usageEvent(usage: UsageRecord): RunEvent {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated } = usage;
  return { type: 'usage', inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated };
}
