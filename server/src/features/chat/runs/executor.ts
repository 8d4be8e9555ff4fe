import type { RunEvent } from '@roster/contracts/chat';
import type { Presence } from '#server/db/presence';
import type { MadeFileTaker } from '#server/features/chat/made-files/take';
import type { Metrics } from '#server/metrics/metrics';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { AnswerEnd, Provider } from '#server/provider/provider';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import type { Tracing } from '#server/tracing/tracing';
import { runClosing } from './closing.ts';
import type { End, RunEndings } from './end.ts';
import { cutCalls, eventCall, type FoldedLog } from './event-log.ts';
import type { EventBatch, EventRepository } from './event-repository.ts';
import { failureOf, interruption } from './failure.ts';
import { type FollowUpWork, followUpWork, type OnComplete } from './follow-ups.ts';
import {
  type GoingOn,
  LeftToOthers,
  LiveRun,
  type LiveRuns,
  type RunOrder,
  ShuttingDown,
  Stopped,
} from './live-run.ts';
import { runRecovery } from './recover.ts';
import type { RunRepository } from './repository.ts';
import { type EventSaver, eventSaver } from './save.ts';
import { type ServerCall, serverCallRepository } from './server-call-repository.ts';
import { runStopping } from './stop.ts';
import { toolRecovery } from './tool-recovery.ts';
import { ResultRoom } from './tool-results.ts';
import { type ToolStepDependencies, toolSteps } from './tool-steps.ts';
import type { AbandonedRun } from './unfinished-repository.ts';
import { runWatching } from './watch.ts';
import { writeAnswer } from './write-answer.ts';

type Dependencies = ToolStepDependencies & {
  runs: RunRepository;
  events: EventRepository;
  endings: RunEndings;
  provider: Pick<Provider, 'answer' | 'answerMs'>;
  catalogue: Pick<Catalogue, 'successor'>;
  metrics: Pick<Metrics, 'firstToken' | 'passedOn' | 'runEnded'>;
  tracing: Pick<Tracing, 'start' | 'within'>;
  presence: Presence;
  /** The order of a run that goes on, by what was stored of it when it began. */
  orderAgain: (run: AbandonedRun, settings: string) => RunOrder;
  onKeyRejected: (userId: number, notice: string) => Promise<void>;
  onComplete: OnComplete;
  takeMade: MadeFileTaker;
};
type Execution = Dependencies & {
  live: LiveRuns;
  saver: EventSaver;
  followUps: FollowUpWork;
  watching: ReturnType<typeof runWatching>;
};

/**
 * Executes runs. A run belongs to the server: readers come and go without touching it.
 *
 * Long: what it is made of, each read alone.
 */
export function runExecutor(dependencies: Dependencies) {
  const { runs, events, endings, presence, log, tracing, onComplete, orderAgain, db } = dependencies;
  const live: LiveRuns = new Map();
  /** Those that are about to be live: what is stored of them is being read. */
  const goingOn = new Set<number>();
  const saver = eventSaver({ ...dependencies, existing: runs.existing, live });
  const followUps = followUpWork(onComplete, log);
  const watching = runWatching({ ...dependencies, live });
  const execution = { ...dependencies, live, saver, followUps, watching };
  const told = (runId: number) => {
    watching.told([runId]);
    presence.send({ eventsOf: [runId] });
  };
  async function endWaiting(userId: number, runId: number, note: string | null) {
    const hasEnded = await endings.endWaiting(userId, runId, note);
    if (hasEnded) told(runId);
    return hasEnded;
  }
  const stopping = runStopping({ runs, presence, live, endWaiting });

  presence.listen((signal) => {
    if ('stop' in signal) live.get(signal.stop)?.stop();
    else watching.told(signal.eventsOf);
  });

  function begin(order: RunOrder, stored?: GoingOn) {
    const run = new LiveRun(order, stored);
    live.set(order.runId, run);
    const span = tracing.start('run', 'internal');
    void tracing
      .within(span, () => execute(run, execution))
      .catch((error: unknown) => log.error({ err: error, runId: order.runId }, 'ending a run failed'))
      .finally(() => span.end());
  }

  /** `decide` says, in the database, whether a run is executed by this process from now on. */
  async function goOn<T>(
    userId: number,
    runId: number,
    decide: () => Promise<{ result: T; goesOn: boolean }>,
  ): Promise<T> {
    goingOn.add(runId);
    try {
      const { result, goesOn } = await decide();
      const run = goesOn ? await runs.toGoOn(userId, runId) : undefined;
      if (run && typeof run.toolLoop === 'string') {
        const batches = await events.after(runId, 0);
        const calls = await serverCallRepository(db).ofRun(userId, runId);
        begin(orderAgain(run, run.toolLoop), {
          batches,
          step: calls.at(-1)?.step ?? 1,
          firstStep: run.continuedStep ?? 1,
          isContinued: false,
          results: new ResultRoom(calls),
        });
      }
      return result;
    } finally {
      goingOn.delete(runId);
      told(runId);
    }
  }

  /** `store` puts what the run had come to back among its events. */
  async function continueEnded(
    order: RunOrder,
    store: () => Promise<{ batches: EventBatch[]; step: number; calls: ServerCall[] }>,
  ) {
    const { runId } = order;
    goingOn.add(runId);
    try {
      const { batches, step, calls } = await store();
      begin(order, { batches, step, firstStep: step, isContinued: true, results: new ResultRoom(calls) });
    } finally {
      goingOn.delete(runId);
      told(runId);
    }
  }

  const recoverTools = toolRecovery({ db, instance: presence.instance });
  /** Ends what a process has left behind, or goes on with it where that can be done. */
  async function takeUp(run: AbandonedRun): Promise<boolean> {
    const found = await goOn(run.userId, run.id, async () => {
      const result = await recoverTools(run);
      return { result, goesOn: result === 'goes_on' };
    });
    return found === 'none' ? endings.interrupt(run) : false;
  }

  return {
    isIdle: () => live.size === 0,
    /** Starts at once; the run is stored already. */
    start: (order: RunOrder) => begin(order),
    goOn,
    continueEnded,
    watch: watching.watch,
    /** The final state of a run of this process. */
    logOf: (runId: number): FoldedLog | undefined => live.get(runId)?.log,
    /** Ends those that have waited too long for a person. */
    async expireWaiting() {
      for (const { userId, id } of await runs.expired(new Date().toISOString(), expiredAtOnce))
        await endWaiting(userId, id, waitedTooLong);
    },
    ...stopping,
    ...runClosing({ runs, live, followUps, stop: stopping.stop }),
    ...runRecovery({ runs, presence, isTaken: (id) => live.has(id) || goingOn.has(id), takeUp }),
  };
}

export type RunExecutor = ReturnType<typeof runExecutor>;

const expiredAtOnce = 100;
const waitedTooLong = 'Nobody decided on the call of a tool for seven days, so the answer was ended.';

/** More than one request brings. */
const madeInStep = 1_000;

async function execute(run: LiveRun, execution: Execution) {
  const { live, followUps, saver, watching } = execution;
  const { order } = run;
  const steps = toolSteps(execution);
  let isComplete = false;
  let waits = false;
  try {
    const { provider, takeMade, metrics } = execution;
    const publish = (events: RunEvent[]) => {
      const [begun, hadText] = [performance.now(), run.log.text !== ''];
      run.publish(events);
      saver.add(run);
      const ended = performance.now();
      metrics.passedOn((ended - begun) / 1_000);
      if (!hadText && run.log.text !== '') metrics.firstToken((ended - run.startedAt) / 1_000);
    };
    // Of each step its own: a run that was let go does not know how many there were before.
    const place = () => (run.step - 1) * madeInStep + run.taking.length;
    const onMade = (made: GeneratedFile) => void run.taking.push(takeMade(order, made, place()));
    const end = await writeAnswer(run, { provider, publish, onMade, steps });
    waits = end === 'parked';
    if (end !== 'parked') {
      await finish(run, { state: 'complete', reason: end.reason, error: null }, end.usage, execution);
      isComplete = end.reason === 'complete';
    }
  } catch (error) {
    if (error instanceof LeftToOthers) throw error;
    // All that was told is stored, and who takes it up knows which calls were under way.
    if (!(error instanceof ShuttingDown && run.isCallingTools)) await fail(run, error, execution);
  } finally {
    // It may go on here already.
    if (live.get(order.runId) === run) live.delete(order.runId);
    if (waits) watching.followElsewhere(order, run.frames.length, run.handOver());
    else run.endStreams();
    run.done.resolve();
  }
  if (isComplete && run.prepared) followUps.begin(order, run.prepared);
}

async function fail(run: LiveRun, error: unknown, execution: Execution) {
  const { log, onKeyRejected, catalogue } = execution;
  if (error instanceof Stopped)
    return finish(run, { state: 'stopped', reason: 'stopped', error: null }, null, execution);
  if (error instanceof ShuttingDown)
    return finish(run, { state: 'interrupted', reason: null, error: interruption }, null, execution);
  const failure = failureOf(error, run.prepared && catalogue.successor(run.prepared.request.model));
  const { runId, userId } = run.order;
  if (failure.code === 'internal') log.error({ err: error, runId }, 'run failed');
  else log.warn({ code: failure.code, runId }, 'run failed');
  await finish(run, { state: 'failed', reason: null, error: failure }, null, execution);
  if (failure.code === 'key_rejected') await onKeyRejected(userId, failure.message);
}

/** Stores the end, then tells it: who reads `finished` finds the whole answer in the database. */
async function finish(run: LiveRun, end: End, usage: AnswerEnd['usage'], execution: Execution) {
  const { saver, endings, presence, metrics } = execution;
  run.publish(cutCalls(run.log, run.made).map((call) => ({ type: 'tool', call: eventCall(call) })));
  await saver.leaveOut(run);
  const failed = (await Promise.all(run.taking)).filter((words) => words !== null);
  run.publish(failed.map((text) => ({ type: 'note', text })));
  const events = await endings.store(run, end, usage);
  run.publish(events);
  metrics.runEnded(end.state, end.error?.code);
  presence.send({ eventsOf: [run.order.runId] });
}
