import type { RunEvent, Usage } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { Kysely } from 'kysely';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { Database } from '#server/db/schema';
import type { FoldedLog } from '#server/features/chat/runs/events/event-log';
import type { PricingService } from '#server/features/usage/pricing';
import type { UsageRecord } from '#server/features/usage/repository';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { AnswerEnd, AnswerRequest, ConversationTurn, ToolUse } from '#server/provider/provider';
import { countsToRecord } from '#server/provider/token-counts';
import type { LiveRun } from './live-run.ts';
import type { PreparedRequest, RunSpec } from './run-spec.ts';

type UsageOwner = Pick<RunSpec, 'runId' | 'userId' | 'threadId' | 'assistantId' | 'comparisonId' | 'judgingId'>;

/** Usage of runs, with the price of the day. */
export function runUsage({ price, toolUsage }: Pick<PricingService, 'price' | 'toolUsage'>) {
  async function recordOf(
    { runId, userId, threadId, assistantId, comparisonId, judgingId }: UsageOwner,
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
    const used = countsToRecord(reported, estimate(sent, run.ofStep(), fileTokens));
    return recordOf(run.spec, { model: request.model, ...used, tier: run.tier, createdAt });
  }

  return {
    /** Usage of a live run at its end; null: nothing was requested or billed. */
    async ofEnd(
      run: LiveRun,
      error: RunError | null,
      reported: AnswerEnd['usage'],
      createdAt: string,
    ): Promise<UsageRecord | null> {
      if (!run.prepared || !isBilled(error, run)) return null;
      const record = await ofRequest(run, run.prepared, reported, createdAt);
      return run.firstStep > 1 ? asStep(record, run.spec.runId, run.step, 'continuation') : record;
    },
    /** Usage of a step that ended with tool calls. */
    async ofStep(run: LiveRun, prepared: PreparedRequest, reported: AnswerEnd['usage'], createdAt: string) {
      return asStep(await ofRequest(run, prepared, reported, createdAt), run.spec.runId, run.step, 'tool_step');
    },
    /** Usage of built-in tools, one record per call. */
    ofTools: (of: UsageOwner & { model: string | null }, uses: readonly ToolUse[], createdAt: string): UsageRecord[] =>
      uses.map((use) => ({ ...toolUsage(use, createdAt, of.model), ...ofCall(of) })),
    /** Estimated usage of an abandoned run, from the stored text. */
    ofAbandoned(
      of: UsageOwner & { model: string },
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

/** A run has one record of its own. Its other requests (tool steps, continuations) are recorded as steps of it. */
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

/** Tool uses are linked to the run as steps, because a run can have several. */
const ofCall = ({ runId: stepOf, threadId, assistantId, comparisonId }: UsageOwner) => ({
  runId: null,
  stepOf,
  threadId,
  assistantId,
  comparisonId,
});

/** Rejected requests cost nothing, and neither do runs stopped before a request. */
function isBilled(error: RunError | null, run: LiveRun) {
  const { text, reasoning, calls } = run.ofStep();
  return (error === null && run.isAwaitingProvider) || text !== '' || reasoning !== '' || calls.length > 0;
}

/** Estimates tokens from the length of input and output, if the provider reports no usage. */
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

export function usageEvent(usage: Usage): RunEvent {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated } = usage;
  return { type: 'usage', inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated };
}
