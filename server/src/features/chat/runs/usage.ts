import type { RunEvent, Usage } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { Kysely } from 'kysely';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { Database } from '#server/db/schema';
import type { PricingService } from '#server/features/usage/pricing';
import type { UsageRecord } from '#server/features/usage/repository';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { AnswerEnd, AnswerRequest, ConversationTurn, ToolUse } from '#server/provider/provider';
import { countsFor } from '#server/provider/token-counts';
import type { FoldedLog } from './event-log.ts';
import type { LiveRun, PreparedRequest, RunOrder } from './live-run.ts';

type Of = Pick<RunOrder, 'runId' | 'userId' | 'threadId' | 'assistantId' | 'comparisonId' | 'judgingId'>;

/** What a run has cost, at the price of the day. */
export function runUsage({ price, toolUsage }: Pick<PricingService, 'price' | 'toolUsage'>) {
  async function recordOf(
    { runId, userId, threadId, assistantId, comparisonId, judgingId }: Of,
    {
      model,
      counts,
      estimated,
      createdAt,
      tier,
    }: Pick<UsageRecord, 'model' | 'estimated' | 'createdAt'> & {
      counts: TokenCounts;
      tier?: string | null | undefined;
    },
    within?: Kysely<Database>,
  ): Promise<UsageRecord> {
    const cost = await price(userId, model, counts, { tier, within });
    const purpose = judgingId === null ? 'chat' : 'evaluation';
    const made = { runId, threadId, assistantId, comparisonId, purpose } as const;
    return { ...counts, ...cost, ...made, model, estimated, createdAt };
  }

  function ofRequest(run: LiveRun, prepared: PreparedRequest, reported: AnswerEnd['usage'], createdAt: string) {
    const { request, fileTokens } = prepared;
    const sent = { instructions: request.instructions, turns: [...request.turns, ...run.turns] };
    const used = countsFor(reported, estimate(sent, run.ofStep(), fileTokens));
    return recordOf(run.order, { model: request.model, ...used, tier: run.tier, createdAt });
  }

  return {
    /** Of a run of this process; null where nothing was asked for, or it has cost nothing. */
    async ofEnd(
      run: LiveRun,
      error: RunError | null,
      reported: AnswerEnd['usage'],
      createdAt: string,
    ): Promise<UsageRecord | null> {
      if (!run.prepared || !isBilled(error, run)) return null;
      const record = await ofRequest(run, run.prepared, reported, createdAt);
      return run.firstStep > 1 ? asStep(record, run.order.runId, run.step, 'continuation') : record;
    },
    /** Of a step that ended with calls of tools. */
    async ofStep(run: LiveRun, prepared: PreparedRequest, reported: AnswerEnd['usage'], createdAt: string) {
      return asStep(await ofRequest(run, prepared, reported, createdAt), run.order.runId, run.step, 'tool_step');
    },
    /** Of what the provider has run for a run: beside tokens, and once for each call. */
    ofTools: (of: Of, uses: readonly ToolUse[], createdAt: string): UsageRecord[] =>
      uses.map((use) => ({ ...toolUsage(use, createdAt), ...ofCall(of) })),
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

/** A run has one record of its own. Its other requests, with which it called tools or continued an answer, are steps of it. */
export const asStep = (
  record: UsageRecord,
  runId: number,
  step: number,
  purpose: 'tool_step' | 'continuation',
): UsageRecord => ({
  ...record,
  runId: null,
  stepOf: runId,
  step,
  purpose,
});

/** A run can have several, which are none of its requests. */
const ofCall = ({ runId: stepOf, threadId, assistantId, comparisonId }: Of) => ({
  runId: null,
  stepOf,
  threadId,
  assistantId,
  comparisonId,
});

/** What was refused cost nothing, and neither did what was stopped while the provider was not asked. */
function isBilled(error: RunError | null, run: LiveRun) {
  const { text, reasoning, calls } = run.ofStep();
  return (error === null && run.isAsked) || text !== '' || reasoning !== '' || calls.length > 0;
}

/** Where the provider did not say: from the lengths of what went out and what came in. */
function estimate(
  request: Pick<AnswerRequest, 'instructions'> & { turns: { text: string; calls?: ConversationTurn['calls'] }[] },
  log: Pick<FoldedLog, 'text' | 'reasoning' | 'calls'>,
  fileTokens = 0,
): TokenCounts {
  const reasoningTokens = estimateTokens(log.reasoning);
  const callTokens = log.calls.reduce((sum, call) => sum + tokensOfCall(call), 0);
  return {
    inputTokens: request.turns.reduce(
      (sum, { text, calls = [] }) =>
        calls.reduce((all, call) => all + tokensOfCall(call) + estimateTokens(call.output), sum + estimateTokens(text)),
      estimateTokens(request.instructions) + fileTokens,
    ),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateTokens(log.text) + reasoningTokens + callTokens,
    reasoningTokens,
  };
}

const tokensOfCall = ({ name, input }: { name: string; input: string }) => estimateTokens(name + input);

/** What an answer has used: its last request and the steps before it. null: nothing that is known. */
export function inAll(...all: readonly (Usage | null | undefined)[]): Usage | null {
  const known = all.filter((usage) => usage !== null && usage !== undefined);
  const [first, ...rest] = known;
  if (!first) return null;
  return rest.reduce(
    (sum, one) => ({
      inputTokens: sum.inputTokens + one.inputTokens,
      cachedTokens: sum.cachedTokens + one.cachedTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      reasoningTokens: sum.reasoningTokens + one.reasoningTokens,
      costUsd: sum.costUsd === null || one.costUsd === null ? null : sum.costUsd + one.costUsd,
      estimated: sum.estimated || one.estimated,
    }),
    first,
  );
}

export function usageEvent(usage: Usage): RunEvent {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated } = usage;
  return { type: 'usage', inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated };
}
