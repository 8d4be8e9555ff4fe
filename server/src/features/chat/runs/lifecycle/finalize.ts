import type { RunEvent } from '@roster/contracts/chat';
import { BilledTool } from '@roster/contracts/usage/usage';
import type { Kysely } from 'kysely';
import type { StoredContent } from '#server/conversation/content';
import type { Database } from '#server/db/schema';
import { startFetching } from '#server/features/chat/generated-files/service';
import {
  clientFunctionCalls,
  cutCalls,
  emptyLog,
  endEvent,
  eventCall,
  type FoldedLog,
  fold,
  foldBatches,
} from '#server/features/chat/runs/events/event-log';
import { eventRepository } from '#server/features/chat/runs/events/event-repository';
import { apiRunRepository } from '#server/features/chat/shared/api-run-repository';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { queuedMessageRepository } from '#server/features/chat/shared/queued-message-repository';
import { type RunEnd, runRepository } from '#server/features/chat/shared/run-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import { isOpenCall, toolCallRepository } from '#server/features/chat/shared/tool-call-repository';
import { sumUsage } from '#server/features/chat/shared/usage';
import type { PricingService } from '#server/features/usage/pricing';
import { type UsageRecord, usageRepository } from '#server/features/usage/repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, CallEcho, ToolUse } from '#server/provider/provider';
import { type AbandonedRun, runClaimRepository } from './claim-repository.ts';
import { interruption } from './failure.ts';
import type { LiveRun } from './live-run.ts';
import type { RunSpec } from './run-spec.ts';
import { asStep, runUsage, usageEvent } from './usage.ts';

export type RunOutcome = Pick<RunEnd, 'state' | 'reason' | 'error'>;

/**
 * Added to the number of the end event after a crash: a reader may have seen events that were lost with the process,
 * and must not take the end for one of them.
 */
const crashGap = 1_000_000;

const waitsForFunctionsMs = 10 * 60_000;

/** Until when an API client can submit function outputs. */
export const functionOutputDeadline = (endedAt: string) =>
  new Date(Date.parse(endedAt) + waitsForFunctionsMs).toISOString();

type Origin = Pick<RunSpec, 'userId' | 'comparisonId' | 'judgingId'>;
export type InternalAnswerEnded = (
  trx: Kysely<Database>,
  asker: Pick<Origin, 'userId' | 'judgingId'> & { comparisonId: number },
) => Promise<void>;

type Dependencies = {
  db: Kysely<Database>;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  onInternalAnswerEnded: InternalAnswerEnded;
};

/** Ends runs: text, usage and the last event are stored once, in one transaction. */
export function createRunFinalizer({ db, pricing, onInternalAnswerEnded }: Dependencies) {
  const usages = runUsage(pricing);

  async function notifyOwner(trx: Kysely<Database>, { userId, comparisonId, judgingId }: Origin) {
    if (comparisonId !== null) await onInternalAnswerEnded(trx, { userId, comparisonId, judgingId });
  }

  /**
   * Stores the end of a live run as soon as the database is available. Returns its last events, to be published
   * afterwards.
   */
  function store(run: LiveRun, end: RunOutcome, reported: AnswerEnd['usage']): Promise<RunEvent[]> {
    const at = new Date().toISOString();
    const once = (isRepeated: boolean) => storeOnce(run, end, reported, { at, isRepeated });
    return retryUntilAvailable(run.released.signal, once, run.delayed.resolve);
  }

  async function storeOnce(
    run: LiveRun,
    end: RunOutcome,
    reported: AnswerEnd['usage'],
    { at, isRepeated }: { at: string; isRepeated: boolean },
  ): Promise<RunEvent[]> {
    const { spec, log } = run;
    const usage = await usages.ofEnd(run, end.error, reported, at);
    const before = run.step > 1 || run.isResumed ? await usedBefore(db, spec, run.firstStep > 1) : [];
    const all = sumUsage(...before, usage);
    const last: RunEvent[] = [...(all ? [usageEvent(all)] : []), endEvent(end)];
    await db.transaction().execute(async (trx) => {
      const ended = rowOf(end, log, { hasUsage: all !== null, lastEvent: run.frames.length + last.length, at });
      const wasOurs = await runRepository(trx).end(spec.runId, ended, run.hasStored);
      if (!wasOurs && isRepeated && (await runRepository(trx).hasEnded(spec.userId, spec.runId, at))) return;
      // Record the cost even if the thread was deleted meanwhile.
      if (usage) await record(trx, spec, usage, wasOurs);
      for (const use of usages.ofTools({ ...spec, model: run.prepared?.request.model ?? null }, run.used, at))
        await record(trx, spec, use, wasOurs);
      if (!wasOurs) return;
      const hasMade = run.fileTasks.length > 0 || run.isResumed;
      if (hasMade) await startFetching(trx, spec.userId, spec.messageId, at);
      await storeText(trx, spec, log, hasMade);
      await storeToolCalls(trx, { ...spec, echoes: run.echoes }, end.state, log, at);
      await notifyOwner(trx, spec);
      await holdQueue(trx, spec, end.state);
    });
    return last;
  }

  /** Ends an abandoned run with the text that was stored. false: another instance has ended it. */
  async function interrupt(run: AbandonedRun): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const batches = await eventRepository(trx).after(run.id, 0);
      const log = foldBatches(batches);
      const made = log.calls.some(isOpenCall) ? await serverCallRepository(trx).made(run.userId, run.id) : noCalls;
      for (const call of cutCalls(log, made)) fold(log, { type: 'tool', call: eventCall(call) });
      const at = new Date().toISOString();
      // The first batch of a continued run is the answer before; its usage is recorded already.
      const base = run.continuedStep === null ? emptyLog() : foldBatches(batches.slice(0, 1));
      const isStarted = hasMoreThan(base, log);
      const end = { state: 'interrupted', reason: null, error: interruption } as const;
      const lastEvent = (batches.at(-1)?.last ?? 0) + crashGap;
      const ended = rowOf(end, log, { hasUsage: isStarted, lastEvent, at });
      if (!(await runRepository(trx).end(run.id, ended, true))) return false;
      await startFetching(trx, run.userId, run.messageId, at);
      await storeText(trx, run, log, true);
      await storeToolCalls(trx, { ...run, runId: run.id }, end.state, log, at);
      await notifyOwner(trx, run);
      // While tools were called, no request was active, and usage is recorded already.
      if (!isStarted || made.size > 0) return true;
      await recordAbandoned(trx, run, log, base, at);
      return true;
    });
  }

  /** Records the estimated usage of an abandoned run since it was started or continued. */
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

/**
 * Ends a run that waits for approval; `note` says why, unless the user requested it. undefined: it is no longer waiting.
 */
function endWaiting(
  db: Kysely<Database>,
  userId: number,
  runId: number,
  note: string | null,
): Promise<{ userId: number; threadId: number } | undefined> {
  return db.transaction().execute(async (trx) => {
    const run = await runClaimRepository(trx).takeWaiting(userId, runId);
    if (!run) return undefined;
    const batches = await eventRepository(trx).after(runId, 0);
    const log = foldBatches(batches);
    const cut = cutCalls(log, noCalls).map((call): RunEvent => ({ type: 'tool', call: eventCall(call) }));
    const events: RunEvent[] = [...(note === null ? [] : [{ type: 'note' as const, text: note }]), ...cut];
    for (const event of events) fold(log, event);
    const at = new Date().toISOString();
    const all = sumUsage(...(await usedBefore(trx, { userId, runId }, run.continuedStep !== null)));
    const end = { state: 'stopped', reason: 'stopped', error: null } as const;
    const last = (batches.at(-1)?.last ?? 0) + events.length + (all ? 1 : 0) + 1;
    if (!(await runRepository(trx).end(runId, rowOf(end, log, { hasUsage: all !== null, lastEvent: last, at }), true)))
      return undefined;
    await startFetching(trx, userId, run.messageId, at);
    await storeText(trx, run, log, true);
    await storeToolCalls(trx, { ...run, runId }, end.state, log, at);
    await holdQueue(trx, run, end.state);
    return { userId, threadId: run.threadId };
  });
}

/** After an answer that was stopped or failed, the user decides about the messages in line. */
async function holdQueue(
  trx: Kysely<Database>,
  { userId, threadId }: Pick<RunSpec, 'userId' | 'threadId'>,
  state: RunEnd['state'],
) {
  if (state === 'stopped' || state === 'failed') await queuedMessageRepository(trx).hold(userId, [threadId], state);
}

const noCalls: ReadonlySet<string> = new Set();

/** Built-in tools that were used, according to the log. Uses recorded with an earlier step are not recorded twice. */
const usedIn = ({ calls }: FoldedLog): ToolUse[] =>
  calls.flatMap(({ kind, callId, state }) => {
    const tool = BilledTool.safeParse(kind);
    return tool.success && state === 'done' ? [{ tool: tool.data, callId }] : [];
  });

const hasMoreThan = (base: FoldedLog, log: FoldedLog) =>
  log.text !== base.text || log.reasoning !== base.reasoning || log.calls.length > base.calls.length;

/** The log since usage was last recorded: after the last connected tool, and after the start of a continuation. */
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

/** Usage recorded so far: the steps, and the run's own record if it was continued. */
async function usedBefore(
  db: Kysely<Database>,
  { userId, runId }: Pick<RunSpec, 'userId' | 'runId'>,
  isContinued: boolean,
) {
  const usages = usageRepository(db);
  const steps = (await usages.ofSteps(userId, [runId])).get(runId) ?? [];
  return isContinued ? [await usages.ofRun(userId, runId), ...steps] : steps;
}

export type RunFinalizer = ReturnType<typeof createRunFinalizer>;

const rowOf = (
  { state, reason, error }: RunOutcome,
  { notes, sources, thoughtMs, marks }: FoldedLog,
  { hasUsage, lastEvent, at }: { hasUsage: boolean; lastEvent: number; at: string },
): RunEnd => ({
  ...{ state, reason, error, notes, sources, thoughtMs, lastEvent, at },
  marks: `${marks}${hasUsage ? 'u' : ''}`,
});

/** Records usage under the API client's token, if there is one. */
async function record(
  trx: Kysely<Database>,
  { userId, apiRunId }: Pick<RunSpec, 'userId' | 'apiRunId'>,
  usage: UsageRecord,
  isOwnerThere?: boolean,
) {
  const accessTokenId = apiRunId === null ? null : await apiRunRepository(trx).tokenOf(userId, apiRunId);
  await usageRepository(trx).record(userId, { ...usage, accessTokenId }, isOwnerThere);
}

type CallingRun = Pick<RunSpec, 'runId' | 'userId' | 'messageId' | 'apiRunId'> & {
  /** Omitted if the run cannot end with client functions. */
  echoes?: ReadonlyMap<string, CallEcho>;
};

/** Stores tool calls. If these are client functions, the API run now waits for their outputs. */
async function storeToolCalls(
  trx: Kysely<Database>,
  of: CallingRun,
  state: RunEnd['state'],
  log: FoldedLog,
  at: string,
) {
  if (log.calls.length === 0) return;
  const serverCalls = serverCallRepository(trx);
  const ofServers = log.calls.filter(({ kind }) => kind === 'server');
  const open = ofServers.length > 0 ? await serverCalls.stored(of.userId, of.runId) : new Map<string, boolean>();
  const { echoes = new Map<string, CallEcho>() } = of;
  await toolCallRepository(trx).insert(of, log.calls, { stored: new Set(open.keys()), echoes });
  for (const call of ofServers) if (open.get(call.callId)) await serverCalls.settle(of.userId, of.runId, call);
  const { userId, apiRunId } = of;
  if (apiRunId === null || state !== 'complete' || clientFunctionCalls(log).length === 0) return;
  await apiRunRepository(trx).wait(userId, apiRunId, functionOutputDeadline(at));
}

async function storeText(
  trx: Kysely<Database>,
  { userId, messageId }: Pick<RunSpec, 'userId' | 'messageId'>,
  { text, reasoning, citations, links }: FoldedLog,
  hasMade: boolean,
) {
  const cited: StoredContent = { ...(citations.length > 0 && { citations }), ...(links.length > 0 && { links }) };
  const content = Object.keys(cited).length > 0 ? JSON.stringify(cited) : null;
  const purpose = await messageRepository(trx).setWords(userId, messageId, { text, reasoning, content });
  // Only chat threads are searchable.
  if (text === '' || purpose !== 'chat') return;
  // Files in the response are stored by now.
  const kept = hasMade ? (await messageFileRepository(trx).of(userId, [messageId])).get(messageId) : undefined;
  const names = kept?.map(({ filename }) => filename);
  await searchRepository(trx).putMessage(userId, messageId, text, names);
}
