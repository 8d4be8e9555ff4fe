import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { branchRepository } from '#server/features/chat/messages/branch-repository';
import { messageRepository } from '#server/features/chat/messages/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import type { PricingService } from '#server/features/usage/pricing';
import { usageRepository } from '#server/features/usage/repository';
import type { AnswerEnd } from '#server/provider/provider';
import { endEvent, type FoldedLog, foldedBatches } from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import { interruption } from './failure.ts';
import type { LiveRun, RunOrder } from './live-run.ts';
import { type AbandonedRun, type RunEnd, runRepository } from './repository.ts';
import { runUsage, usageEvent } from './usage.ts';

export type End = Pick<RunEnd, 'state' | 'reason' | 'error'>;

/**
 * The number of the last event of a run that a crash ended lies so far beyond what is stored: a reader may have seen
 * events that were lost with the process, and must not take the end for one of them.
 */
const crashGap = 1_000_000;

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
      if (usage) await usageRepository(trx).record(order.userId, usage, wasOurs);
      if (wasOurs) await keepWords(trx, order, log);
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
      if (!isBegun) return true;
      const turns = await branchRepository(trx).wordsBefore(run.userId, run.threadId, run.messageId);
      const usage = await usages.ofAbandoned({ ...run, runId: run.id }, log, turns, at, trx);
      await usageRepository(trx).record(run.userId, usage);
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

async function keepWords(
  trx: Kysely<Database>,
  { userId, messageId }: Pick<RunOrder, 'userId' | 'messageId'>,
  { text, reasoning }: { text: string; reasoning: string },
) {
  const purpose = await messageRepository(trx).setWords(userId, messageId, { text, reasoning });
  // Only conversations are searched.
  if (text !== '' && purpose === 'chat') await searchRepository(trx).putMessage(userId, messageId, text);
}
