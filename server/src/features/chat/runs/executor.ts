import type { Presence } from '#server/db/presence';
import type { RunRepository } from '#server/features/chat/shared/run-repository';
import { type ServerCall, serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import type { Tracing } from '#server/tracing/tracing';
import type { FoldedLog } from './events/event-log.ts';
import type { EventBatch, EventRepository } from './events/event-repository.ts';
import { type Execution, execute } from './execute.ts';
import type { AbandonedRun, RunClaimRepository } from './lifecycle/claim-repository.ts';
import { createEventWriter } from './lifecycle/event-writer.ts';
import { followUpWork, type OnComplete } from './lifecycle/follow-ups.ts';
import { LiveRun, type LiveRuns, type ResumeState } from './lifecycle/live-run.ts';
import { createRunRecovery } from './lifecycle/recover.ts';
import { forResumedRun, type RunSpec } from './lifecycle/run-spec.ts';
import { createShutdown } from './lifecycle/shutdown.ts';
import { createRunSubscriptions } from './lifecycle/subscribe.ts';
import { ToolOutputBudget } from './lifecycle/tool-output-budget.ts';
import { toolRecovery } from './tools/tool-recovery.ts';
import { type ToolStepDependencies, toolSteps } from './tools/tool-steps.ts';

type Dependencies = Omit<Execution, 'live' | 'writer' | 'followUps' | 'subscriptions' | 'steps' | 'onEnded'> &
  ToolStepDependencies & {
    runs: RunRepository;
    claims: RunClaimRepository;
    events: EventRepository;
    tracing: Pick<Tracing, 'start' | 'within'>;
    presence: Presence;
    onComplete: OnComplete;
  };

const expiredAtOnce = 100;
const waitedTooLong = 'Nobody approved or denied a tool call for seven days, so the answer was ended.';

/**
 * Executes runs. A run belongs to the server: readers come and go without affecting it.
 *
 * Long: starting, resuming and continuing share the map of live runs.
 */
export function createRunExecutor(dependencies: Dependencies) {
  const { runs, claims, events, finalizer, presence, log, tracing, onComplete, db } = dependencies;
  const live: LiveRuns = new Map();
  /** Runs being resumed; not yet in `live`. */
  const resuming = new Set<number>();
  const writer = createEventWriter({ ...dependencies, existing: runs.existing, live });
  const followUps = followUpWork(onComplete, log);
  const subscriptions = createRunSubscriptions({ ...dependencies, live });
  const steps = toolSteps({ ...dependencies, writer });
  let listener: Execution['onEnded'] = () => undefined;
  const onEnded: Execution['onEnded'] = (run) => listener(run);
  const execution: Execution = { ...dependencies, live, writer, followUps, subscriptions, steps, onEnded };
  const shutdown = createShutdown({ runs, live, followUps, stop });
  const isTaken = (runId: number) => live.has(runId) || resuming.has(runId);
  const recovery = createRunRecovery({ claims, presence, isTaken, recoverRun });
  const recoverTools = toolRecovery({ db, instance: presence.instance });

  presence.listen((signal) => {
    if ('stop' in signal) live.get(signal.stop)?.stop();
    if ('eventsOf' in signal) subscriptions.notify(signal.eventsOf);
  });

  function notify(runId: number) {
    subscriptions.notify([runId]);
    presence.send({ eventsOf: [runId] });
  }

  function start(spec: RunSpec, resumed?: ResumeState) {
    const run = new LiveRun(spec, resumed);
    live.set(spec.runId, run);
    const span = tracing.start('run', 'internal');
    void tracing
      .within(span, () => execute(run, execution))
      .catch((error: unknown) => log.error({ err: error, runId: spec.runId }, 'ending a run failed'))
      .finally(() => span.end());
  }

  async function resumeRun(userId: number, runId: number) {
    const run = await claims.findResumable(userId, runId);
    if (typeof run?.toolLoop !== 'string') return;
    const batches = await events.after(runId, 0);
    const calls = await serverCallRepository(db).ofRun(userId, runId);
    start(forResumedRun(run, run.toolLoop), {
      batches,
      step: calls.at(-1)?.step ?? 1,
      firstStep: run.continuedStep ?? 1,
      isContinued: false,
      outputBudget: new ToolOutputBudget(calls),
    });
  }

  /** `decide` stores, among other things, whether this instance executes the run from now on. */
  async function resumeIf<T>(
    userId: number,
    runId: number,
    decide: () => Promise<{ result: T; resumes: boolean }>,
  ): Promise<T> {
    resuming.add(runId);
    try {
      const { result, resumes } = await decide();
      if (resumes) await resumeRun(userId, runId);
      return result;
    } finally {
      resuming.delete(runId);
      notify(runId);
    }
  }

  /** `reopen` makes the ended run active again in the database. */
  async function continueEnded(
    spec: RunSpec,
    reopen: () => Promise<{ batches: EventBatch[]; step: number; calls: ServerCall[] }>,
  ) {
    const { runId } = spec;
    resuming.add(runId);
    try {
      const { batches, step, calls } = await reopen();
      const outputBudget = new ToolOutputBudget(calls);
      start(spec, { batches, step, firstStep: step, isContinued: true, outputBudget });
    } finally {
      resuming.delete(runId);
      notify(runId);
    }
  }

  async function endWaiting(userId: number, runId: number, note: string | null): Promise<boolean> {
    const ended = await finalizer.endWaiting(userId, runId, note);
    if (!ended) return false;
    notify(runId);
    onEnded(ended);
    return true;
  }

  /** Stops a live run and waits until its end is stored or delayed; asks other instances to stop theirs. */
  async function stop(userId: number, runId: number) {
    const here = live.get(runId);
    if (here) {
      here.stop();
      // Do not make the user wait for a database that is unavailable or full.
      await Promise.race([here.done.promise, here.delayed.promise]);
      if (live.has(runId)) return;
      // It may have been parked just now.
      await endWaiting(userId, runId, null);
      return;
    }
    if (await endWaiting(userId, runId, null)) return;
    await runs.requestStop(userId, runId);
    presence.send({ stop: runId });
    // The stop request keeps it from being parked, but it may have been parked before.
    await endWaiting(userId, runId, null);
  }

  /** Resumes an abandoned run if it was calling tools; otherwise ends it and returns true. */
  async function recoverRun(run: AbandonedRun): Promise<boolean> {
    const found = await resumeIf(run.userId, run.id, async () => {
      const result = await recoverTools(run);
      return { result, resumes: result === 'resumes' };
    });
    if (found !== 'none' || !(await finalizer.interrupt(run))) return false;
    if (run.comparisonId === null) onEnded(run);
    return true;
  }

  return {
    isIdle: () => live.size === 0,
    /** Calls `next` whenever a run has ended on this instance, or has been recovered by it. */
    whenEnded(next: Execution['onEnded']) {
      listener = next;
    },
    /** The run is stored already. */
    start: (spec: RunSpec) => start(spec),
    resumeIf,
    continueEnded,
    watch: subscriptions.watch,
    logOf: (runId: number): FoldedLog | undefined => live.get(runId)?.log,
    /** Ends runs that have waited too long for an approval. */
    async expireWaiting() {
      for (const { userId, id } of await claims.expired(new Date().toISOString(), expiredAtOnce))
        await endWaiting(userId, id, waitedTooLong);
    },
    stop,
    /** Signals can be lost with a connection; stop requests are also in the database. */
    async obeyStops() {
      if (live.size === 0) return;
      for (const id of await runs.stopRequested([...live.keys()])) live.get(id)?.stop();
    },
    refuseWhenClosing: shutdown.refuseWhenClosing,
    withoutRuns: shutdown.withoutRuns,
    drain: shutdown.drain,
    recover: recovery.recover,
    recoverAgain: recovery.recoverAgain,
  };
}

export type RunExecutor = ReturnType<typeof createRunExecutor>;
