import type { RunEvent } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { Kysely } from 'kysely';
import type { Database } from '../../../db/schema.ts';
import type { TokenCounts } from '../../../provider/catalogue.ts';
import { ProviderError } from '../../../provider/error.ts';
import type { AnswerEnd, AnswerRequest } from '../../../provider/provider.ts';
import type { PricingService } from '../../usage/pricing.ts';
import { type UsageRecord, usageRepository } from '../../usage/repository.ts';
import { messageRepository } from '../messages/repository.ts';
import { estimateTokens } from '../messages/token-estimate.ts';
import { searchRepository } from '../search/repository.ts';
import { emptyLog, type FoldedLog, fold, framesAfter, parseFrames, unfold } from './event-log.ts';
import type { LiveRun, PreparedRequest, RunOrder } from './live-run.ts';
import { type AbandonedRun, runRepository } from './repository.ts';

type Dependencies = { db: Kysely<Database>; pricing: Pick<PricingService, 'price'> };
type End = { state: 'complete' | 'stopped' | 'failed' | 'interrupted'; reason: string | null; error: RunError | null };

/**
 * The number of the last event of a run that a crash ended lies so far beyond what is stored: a reader may have seen
 * events that were lost with the process, and must not take the end for one of them.
 */
const crashGap = 1_000_000;

const interruption: RunError = {
  code: 'interrupted',
  message: 'The server stopped while this answer was being written. What had arrived is kept.',
};

/** How runs end: the words, the figures and the last event are stored together, once. */
export function runEndings({ db, pricing }: Dependencies) {
  /** What was refused cost nothing, and neither did what was stopped while the provider was not asked. */
  const isBilled = (error: RunError | null, { log, isAsked }: LiveRun) =>
    (error === null && isAsked) || log.text !== '' || log.reasoning !== '';

  async function usageRecord(
    run: Pick<RunOrder, 'runId' | 'userId' | 'threadId' | 'assistantId' | 'comparisonId'>,
    model: string,
    counts: TokenCounts,
    estimated: boolean,
    createdAt: string,
    within?: Kysely<Database>,
  ): Promise<UsageRecord> {
    const { runId, userId, threadId, assistantId, comparisonId } = run;
    const price = await pricing.price(userId, model, counts, within);
    const made = { runId, threadId, assistantId, comparisonId, purpose: 'chat', createdAt } as const;
    return { ...counts, ...price, ...made, model, estimated };
  }

  const usageOf = (
    order: RunOrder,
    { request, fileTokens }: PreparedRequest,
    log: FoldedLog,
    reported: AnswerEnd['usage'],
    at: string,
  ) => usageRecord(order, request.model, reported ?? estimate(request, log, fileTokens), reported === null, at);

  return {
    interrupted: () => interruption,

    failureOf(error: unknown): RunError {
      if (!(error instanceof ProviderError))
        return { code: 'internal', message: 'Something went wrong on our side. Please try again.' };
      const isOfAnotherCall =
        error.code === 'not_served' || error.code === 'store_gone' || error.code === 'training_not_available';
      const code = isOfAnotherCall ? 'bad_request' : error.code;
      const { retryAfterSeconds } = error;
      return { code, message: error.message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    },

    /** Stores the end of a run of this process and returns its last events, to be told afterwards. */
    async store(run: LiveRun, end: End, reported: AnswerEnd['usage']): Promise<RunEvent[]> {
      const { order, log, prepared } = run;
      const at = new Date().toISOString();
      // Where it was not even known what to ask for, nothing was asked.
      const usage = prepared && isBilled(end.error, run) ? await usageOf(order, prepared, log, reported, at) : null;
      const last: RunEvent[] = [...(usage ? [usageEvent(usage)] : []), endEvent(end)];
      await db.transaction().execute(async (trx) => {
        const ended = {
          ...end,
          notes: log.notes,
          sources: log.sources,
          marks: `${log.marks}${usage ? 'u' : ''}`,
          lastEvent: run.frames.length + last.length,
          at,
        };
        const wasOurs = await runRepository(trx).end(order.runId, ended, run.hasStored);
        // The call has cost what it has, also where the conversation was deleted under it.
        if (usage) await usageRepository(trx).record(order.userId, usage, wasOurs);
        if (wasOurs) await keepWords(trx, order, log);
      });
      return last;
    },

    /** Ends a run whose process is gone, with the words that had been stored. false: somebody else was quicker. */
    async interruptAbandoned(run: AbandonedRun): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const runs = runRepository(trx);
        const log = emptyLog();
        let lastEvent = 0;
        for (const batch of await runs.eventsAfter(run.id, 0)) {
          for (const { event } of readable(batch.frames)) fold(log, event);
          lastEvent = batch.last;
        }
        const at = new Date().toISOString();
        const isBegun = log.text !== '' || log.reasoning !== '';
        const ended = {
          state: 'interrupted' as const,
          reason: null,
          error: interruption,
          notes: log.notes,
          sources: log.sources,
          marks: `${log.marks}${isBegun ? 'u' : ''}`,
          lastEvent: lastEvent + crashGap,
          at,
        };
        if (!(await runs.end(run.id, ended, true))) return false;
        await keepWords(trx, run, log);
        if (!isBegun) return true;
        const turns = await messageRepository(trx).wordsBefore(run.userId, run.threadId, run.messageId);
        const counts = estimate({ instructions: '', turns }, log);
        const order = { ...run, runId: run.id };
        await usageRepository(trx).record(run.userId, await usageRecord(order, run.model, counts, true, at, trx));
        return true;
      });
    },

    /** All events of a finished run after the event `after`; undefined while it is under way. */
    async replay(userId: number, runId: number, after: number): Promise<string | undefined> {
      const run = await runRepository(db).finished(userId, runId);
      if (!run) return undefined;
      const usage: RunEvent | null = run.usage && { type: 'usage', ...run.usage };
      return unfold(run.log, usage, { event: endEvent(run), number: run.lastEvent }, after);
    },

    framesAfter,
  };

  async function keepWords(
    trx: Kysely<Database>,
    { userId, messageId }: Pick<RunOrder, 'userId' | 'messageId'>,
    { text, reasoning }: FoldedLog,
  ) {
    const purpose = await messageRepository(trx).setWords(userId, messageId, { text, reasoning });
    // Only conversations are searched.
    if (text !== '' && purpose === 'chat') await searchRepository(trx).putMessage(userId, messageId, text);
  }
}

export type RunEndings = ReturnType<typeof runEndings>;

/** A damaged log must not keep a server from starting: what of it cannot be read is left out. */
export function readable(frames: string): ReturnType<typeof parseFrames> {
  try {
    return parseFrames(frames);
  } catch {
    return [];
  }
}

/** Where the provider did not say: from the lengths of what went out and what came in. */
function estimate(request: Pick<AnswerRequest, 'instructions' | 'turns'>, log: FoldedLog, fileTokens = 0): TokenCounts {
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

function usageEvent(usage: UsageRecord): RunEvent {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated } = usage;
  return { type: 'usage', inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd, estimated };
}

function endEvent({ reason, error }: { reason: string | null; error: RunError | null }): RunEvent {
  if (error) return { type: 'failed', error };
  const known = (['complete', 'stopped', 'length', 'content_filter'] as const).find((name) => name === reason);
  return { type: 'finished', reason: known ?? 'complete' };
}
