import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { StoredContent } from '#server/conversation/content';
import type { Database } from '#server/db/schema';
import { branchRepository } from '#server/features/chat/messages/branch-repository';
import { messageRepository } from '#server/features/chat/messages/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import type { PricingService } from '#server/features/usage/pricing';
import { type UsageRecord, usageRepository } from '#server/features/usage/repository';
import type { AnswerEnd } from '#server/provider/provider';
import { endEvent, type FoldedLog, foldedBatches, functionsCalled } from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import { interruption } from './failure.ts';
import type { LiveRun, RunOrder } from './live-run.ts';
import { programRunRepository } from './program-run-repository.ts';
import { type AbandonedRun, type RunEnd, runRepository } from './repository.ts';
import { toolCallRepository } from './tool-call-repository.ts';
import { runUsage, usageEvent } from './usage.ts';

export type End = Pick<RunEnd, 'state' | 'reason' | 'error'>;

/**
 * The number of the last event of a run that a crash ended lies so far beyond what is stored: a reader may have seen
 * events that were lost with the process, and must not take the end for one of them.
 */
const crashGap = 1_000_000;

/** How long a program has to answer the functions that were called. */
export const waitsForFunctionsMs = 10 * 60_000;

/** How runs end: the words, the figures and the last event are stored together, once. */
export function runEndings({ db, pricing }: { db: Kysely<Database>; pricing: Pick<PricingService, 'price'> }) {
  const usages = runUsage(pricing);

  /** Stores the end of a run of this process and returns its last events, to be told afterwards. */
  async function store(run: LiveRun, end: End, reported: AnswerEnd['usage']): Promise<RunEvent[]> {
    const { order, log } = run;
    const at = new Date().toISOString();
    const usage = await usages.ofEnd(run, end.error, reported, at);
    const last: RunEvent[] = [...(usage ? [usageEvent(usage)] : []), endEvent(end)];
    await db.transaction().execute(async (trx) => {
      const ended = rowOf(end, log, { hasUsage: usage !== null, lastEvent: run.frames.length + last.length, at });
      const wasOurs = await runRepository(trx).end(order.runId, ended, run.hasStored);
      // The call has cost what it has, also where the conversation was deleted under it.
      if (usage) await record(trx, order, usage, wasOurs);
      if (!wasOurs) return;
      await keepWords(trx, order, log);
      await keepCalls(trx, order, end.state, log, at);
    });
    return last;
  }

  /** Ends a run whose process is gone, with the words that had been stored. false: another process was quicker. */
  async function interrupt(run: AbandonedRun): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const batches = await eventRepository(trx).after(run.id, 0);
      const log = foldedBatches(batches);
      const at = new Date().toISOString();
      const isBegun = log.text !== '' || log.reasoning !== '';
      const end = { state: 'interrupted', reason: null, error: interruption } as const;
      const lastEvent = (batches.at(-1)?.last ?? 0) + crashGap;
      const ended = rowOf(end, log, { hasUsage: isBegun, lastEvent, at });
      if (!(await runRepository(trx).end(run.id, ended, true))) return false;
      await keepWords(trx, run, log);
      await keepCalls(trx, { ...run, runId: run.id }, end.state, log, at);
      if (!isBegun) return true;
      const turns = await branchRepository(trx).wordsBefore(run.userId, run.threadId, run.messageId);
      const usage = await usages.ofAbandoned({ ...run, runId: run.id }, log, turns, at, trx);
      await record(trx, run, usage);
      return true;
    });
  }

  return { store, interrupt };
}

export type RunEndings = ReturnType<typeof runEndings>;

const rowOf = (
  { state, reason, error }: End,
  { notes, sources, marks }: FoldedLog,
  { hasUsage, lastEvent, at }: { hasUsage: boolean; lastEvent: number; at: string },
): RunEnd => ({ state, reason, error, notes, sources, marks: `${marks}${hasUsage ? 'u' : ''}`, lastEvent, at });

/** Under the token of the program that has asked, as it is now. */
async function record(
  trx: Kysely<Database>,
  { userId, programRunId }: Pick<RunOrder, 'userId' | 'programRunId'>,
  usage: UsageRecord,
  isOwnerThere?: boolean,
) {
  const accessTokenId = programRunId === null ? null : await programRunRepository(trx).tokenOf(userId, programRunId);
  await usageRepository(trx).record(userId, { ...usage, accessTokenId }, isOwnerThere);
}

type Called = Pick<RunOrder, 'runId' | 'userId' | 'messageId' | 'programRunId'>;

/** What the model has called. Where that are functions of a program, its run waits for what they answer. */
async function keepCalls(trx: Kysely<Database>, of: Called, state: RunEnd['state'], log: FoldedLog, at: string) {
  if (log.calls.length === 0) return;
  await toolCallRepository(trx).insert(of, log.calls);
  const { userId, programRunId } = of;
  if (programRunId === null || state !== 'complete' || functionsCalled(log).length === 0) return;
  const until = new Date(Date.parse(at) + waitsForFunctionsMs).toISOString();
  await programRunRepository(trx).wait(userId, programRunId, until);
}

async function keepWords(
  trx: Kysely<Database>,
  { userId, messageId }: Pick<RunOrder, 'userId' | 'messageId'>,
  { text, reasoning, citations }: FoldedLog,
) {
  const content = citations.length > 0 ? JSON.stringify({ citations } satisfies StoredContent) : null;
  const purpose = await messageRepository(trx).setWords(userId, messageId, { text, reasoning, content });
  // Only conversations are searched.
  if (text !== '' && purpose === 'chat') await searchRepository(trx).putMessage(userId, messageId, text);
}
