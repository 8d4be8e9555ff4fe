import type { RunEvent } from '@roster/contracts/chat';
import { BilledTool } from '@roster/contracts/usage/usage';
import type { Kysely } from 'kysely';
import type { StoredContent } from '#server/conversation/content';
import type { Database } from '#server/db/schema';
import { beginFetching } from '#server/features/chat/made-files/fetch';
import { branchRepository } from '#server/features/chat/messages/branch-repository';
import { messageFileRepository } from '#server/features/chat/messages/file-repository';
import { messageRepository } from '#server/features/chat/messages/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import type { PricingService } from '#server/features/usage/pricing';
import { type UsageRecord, usageRepository } from '#server/features/usage/repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, CallEcho, ToolUse } from '#server/provider/provider';
import {
  cutCalls,
  emptyLog,
  endEvent,
  eventCall,
  type FoldedLog,
  fold,
  foldedBatches,
  functionsCalled,
  isOpenCall,
} from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import { interruption } from './failure.ts';
import type { LiveRun, RunOrder } from './live-run.ts';
import { programRunRepository } from './program-run-repository.ts';
import { type RunEnd, runRepository } from './repository.ts';
import { serverCallRepository } from './server-call-repository.ts';
import { toolCallRepository } from './tool-call-repository.ts';
import type { AbandonedRun } from './unfinished-repository.ts';
import { asStep, inAll, runUsage, usageEvent } from './usage.ts';

export type End = Pick<RunEnd, 'state' | 'reason' | 'error'>;

/**
 * The number of the last event of a run that a crash ended lies so far beyond what is stored: a reader may have seen
 * events that were lost with the process, and must not take the end for one of them.
 */
const crashGap = 1_000_000;

const waitsForFunctionsMs = 10 * 60_000;

/** So long a program can answer the functions that an answer has ended with. */
export const answerableUntil = (endedAt: string) => new Date(Date.parse(endedAt) + waitsForFunctionsMs).toISOString();

type Asked = Pick<RunOrder, 'userId' | 'comparisonId' | 'judgingId'>;
export type SideAnswerEnded = (
  trx: Kysely<Database>,
  asker: Pick<Asked, 'userId' | 'judgingId'> & { comparisonId: number },
) => Promise<void>;

type Dependencies = {
  db: Kysely<Database>;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  sideAnswerEnded: SideAnswerEnded;
};

/**
 * How runs end: the words, the figures and the last event are stored together, once.
 *
 * Long: two ways of ending, each one transaction.
 */
export function runEndings({ db, pricing, sideAnswerEnded }: Dependencies) {
  const usages = runUsage(pricing);

  async function tellAsker(trx: Kysely<Database>, { userId, comparisonId, judgingId }: Asked) {
    if (comparisonId !== null) await sideAnswerEnded(trx, { userId, comparisonId, judgingId });
  }

  /** Stores the end of a run of this process, once the database is there, and returns its last events, to be told afterwards. */
  function store(run: LiveRun, end: End, reported: AnswerEnd['usage']): Promise<RunEvent[]> {
    const at = new Date().toISOString();
    const once = (isRepeated: boolean) => storeOnce(run, end, reported, { at, isRepeated });
    return retryUntilAvailable(run.letGo.signal, once, run.heldUp.resolve);
  }

  async function storeOnce(
    run: LiveRun,
    end: End,
    reported: AnswerEnd['usage'],
    { at, isRepeated }: { at: string; isRepeated: boolean },
  ): Promise<RunEvent[]> {
    const { order, log } = run;
    const usage = await usages.ofEnd(run, end.error, reported, at);
    const before = run.step > 1 || run.isGoingOn ? await usedBefore(db, order, run.firstStep > 1) : [];
    const all = inAll(...before, usage);
    const last: RunEvent[] = [...(all ? [usageEvent(all)] : []), endEvent(end)];
    await db.transaction().execute(async (trx) => {
      const ended = rowOf(end, log, { hasUsage: all !== null, lastEvent: run.frames.length + last.length, at });
      const wasOurs = await runRepository(trx).end(order.runId, ended, run.hasStored);
      if (!wasOurs && isRepeated && (await runRepository(trx).hasEnded(order.userId, order.runId, at))) return;
      // The call has cost what it has, also where the conversation was deleted under it.
      if (usage) await record(trx, order, usage, wasOurs);
      for (const use of usages.ofTools(order, run.used, at)) await record(trx, order, use, wasOurs);
      if (!wasOurs) return;
      const hasMade = run.taking.length > 0 || run.isGoingOn;
      if (hasMade) await beginFetching(trx, order.userId, order.messageId, at);
      await keepWords(trx, order, log, hasMade);
      await keepCalls(trx, { ...order, echoes: run.echoes }, end.state, log, at);
      await tellAsker(trx, order);
    });
    return last;
  }

  /** Ends a run whose process is gone, with the words that had been stored. false: another process was quicker. */
  async function interrupt(run: AbandonedRun): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const batches = await eventRepository(trx).after(run.id, 0);
      const log = foldedBatches(batches);
      const made = log.calls.some(isOpenCall) ? await serverCallRepository(trx).made(run.userId, run.id) : noCalls;
      for (const call of cutCalls(log, made)) fold(log, { type: 'tool', call: eventCall(call) });
      const at = new Date().toISOString();
      // What an answer had come to before it was continued is the first batch, and is recorded.
      const base = run.continuedStep === null ? emptyLog() : foldedBatches(batches.slice(0, 1));
      const isBegun = hasMoreThan(base, log);
      const end = { state: 'interrupted', reason: null, error: interruption } as const;
      const lastEvent = (batches.at(-1)?.last ?? 0) + crashGap;
      const ended = rowOf(end, log, { hasUsage: isBegun, lastEvent, at });
      if (!(await runRepository(trx).end(run.id, ended, true))) return false;
      await beginFetching(trx, run.userId, run.messageId, at);
      await keepWords(trx, run, log, true);
      await keepCalls(trx, { ...run, runId: run.id }, end.state, log, at);
      await tellAsker(trx, run);
      // Where it was the turn of the tools, nothing was asked of the provider that is not recorded.
      if (!isBegun || made.size > 0) return true;
      await recordAbandoned(trx, run, log, base, at);
      return true;
    });
  }

  /** What a run has used by the words that were stored, since it was asked for or continued. */
  async function recordAbandoned(
    trx: Kysely<Database>,
    run: AbandonedRun,
    log: FoldedLog,
    base: FoldedLog,
    at: string,
  ) {
    const turns = await branchRepository(trx).wordsBefore(run.userId, run.threadId, run.messageId);
    const of = { ...run, runId: run.id };
    const usage = await usages.ofAbandoned(of, sinceCalls(log, base), turns, at, trx);
    const last = await usageRepository(trx).lastStep(run.userId, run.id);
    const own =
      run.continuedStep === null ? usage : asStep(usage, run.id, Math.max(run.continuedStep, last + 1), 'continuation');
    for (const one of [own, ...usages.ofTools(of, usedIn(log), at)]) await record(trx, run, one);
  }

  return {
    store,
    interrupt,
    endWaiting: (userId: number, runId: number, note: string | null) => endWaiting(db, userId, runId, note),
  };
}

/** Ends a run that waits for a person; `note` says why, if nobody has asked for it. false: it does not wait any more. */
function endWaiting(db: Kysely<Database>, userId: number, runId: number, note: string | null): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const run = await runRepository(trx).takeWaiting(userId, runId);
    if (!run) return false;
    const batches = await eventRepository(trx).after(runId, 0);
    const log = foldedBatches(batches);
    const cut = cutCalls(log, noCalls).map((call): RunEvent => ({ type: 'tool', call: eventCall(call) }));
    const said: RunEvent[] = [...(note === null ? [] : [{ type: 'note' as const, text: note }]), ...cut];
    for (const event of said) fold(log, event);
    const at = new Date().toISOString();
    const all = inAll(...(await usedBefore(trx, { userId, runId }, run.continuedStep !== null)));
    const end = { state: 'stopped', reason: 'stopped', error: null } as const;
    const last = (batches.at(-1)?.last ?? 0) + said.length + (all ? 1 : 0) + 1;
    if (!(await runRepository(trx).end(runId, rowOf(end, log, { hasUsage: all !== null, lastEvent: last, at }), true)))
      return false;
    await beginFetching(trx, userId, run.messageId, at);
    await keepWords(trx, run, log, true);
    await keepCalls(trx, { ...run, runId }, end.state, log, at);
    return true;
  });
}

const noCalls: ReadonlySet<string> = new Set();

/** What the provider has run, as far as the log says it. What a step has brought was recorded with it, and is not twice. */
const usedIn = ({ calls }: FoldedLog): ToolUse[] =>
  calls.flatMap(({ kind, callId, state }) => {
    const tool = BilledTool.safeParse(kind);
    return tool.success && state === 'done' ? [{ tool: tool.data, callId }] : [];
  });

const hasMoreThan = (base: FoldedLog, log: FoldedLog) =>
  log.text !== base.text || log.reasoning !== base.reasoning || log.calls.length > base.calls.length;

/** What came before the last calls was recorded with their step, and what the run began with before it was continued. */
function sinceCalls(log: FoldedLog, base: FoldedLog): FoldedLog {
  const ofServers = log.calls.filter(({ kind }) => kind === 'server');
  const from = Math.max(base.text.length, ...ofServers.map(({ at }) => at));
  const called = Math.max(base.calls.length, log.calls.findLastIndex(({ kind }) => kind === 'server') + 1);
  return {
    ...log,
    calls: log.calls.slice(called),
    text: log.text.slice(from),
    reasoning: log.reasoning.slice(base.reasoning.length),
  };
}

/** What the run has used so far: its steps, and its own record where it has one before its end. */
async function usedBefore(
  db: Kysely<Database>,
  { userId, runId }: Pick<RunOrder, 'userId' | 'runId'>,
  isContinued: boolean,
) {
  const usages = usageRepository(db);
  const steps = (await usages.ofSteps(userId, [runId])).get(runId) ?? [];
  return isContinued ? [await usages.ofRun(userId, runId), ...steps] : steps;
}

export type RunEndings = ReturnType<typeof runEndings>;

const rowOf = (
  { state, reason, error }: End,
  { notes, sources, thoughtMs, marks }: FoldedLog,
  { hasUsage, lastEvent, at }: { hasUsage: boolean; lastEvent: number; at: string },
): RunEnd => ({
  ...{ state, reason, error, notes, sources, thoughtMs, lastEvent, at },
  marks: `${marks}${hasUsage ? 'u' : ''}`,
});

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

type Called = Pick<RunOrder, 'runId' | 'userId' | 'messageId' | 'programRunId'> & {
  /** Left out: the run has ended without a function that a program could answer. */
  echoes?: ReadonlyMap<string, CallEcho>;
};

/** What the model has called. Where that are functions of a program, its run waits for what they answer. */
async function keepCalls(trx: Kysely<Database>, of: Called, state: RunEnd['state'], log: FoldedLog, at: string) {
  if (log.calls.length === 0) return;
  const serverCalls = serverCallRepository(trx);
  const ofServers = log.calls.filter(({ kind }) => kind === 'server');
  const open = ofServers.length > 0 ? await serverCalls.stored(of.userId, of.runId) : new Map<string, boolean>();
  const { echoes = new Map<string, CallEcho>() } = of;
  await toolCallRepository(trx).insert(of, log.calls, { stored: new Set(open.keys()), echoes });
  for (const call of ofServers) if (open.get(call.callId)) await serverCalls.settle(of.userId, of.runId, call);
  const { userId, programRunId } = of;
  if (programRunId === null || state !== 'complete' || functionsCalled(log).length === 0) return;
  await programRunRepository(trx).wait(userId, programRunId, answerableUntil(at));
}

async function keepWords(
  trx: Kysely<Database>,
  { userId, messageId }: Pick<RunOrder, 'userId' | 'messageId'>,
  { text, reasoning, citations, links }: FoldedLog,
  hasMade: boolean,
) {
  const cited: StoredContent = { ...(citations.length > 0 && { citations }), ...(links.length > 0 && { links }) };
  const content = Object.keys(cited).length > 0 ? JSON.stringify(cited) : null;
  const purpose = await messageRepository(trx).setWords(userId, messageId, { text, reasoning, content });
  // Only conversations are searched.
  if (text === '' || purpose !== 'chat') return;
  // Files that came with the answer have been kept by now.
  const kept = hasMade ? (await messageFileRepository(trx).of(userId, [messageId])).get(messageId) : undefined;
  const names = kept?.map(({ filename }) => filename);
  await searchRepository(trx).putMessage(userId, messageId, text, names);
}
