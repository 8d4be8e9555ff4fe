import type { RunEvent } from '@roster/contracts/chat';
import type { FastifyBaseLogger } from 'fastify';
import type { Presence } from '#server/db/presence';
import { ProviderError } from '#server/provider/error';
import type { AnswerEnd, Provider } from '#server/provider/provider';
import { runClosing } from './closing.ts';
import type { End, RunEndings } from './end.ts';
import type { FoldedLog } from './event-log.ts';
import type { EventRepository } from './event-repository.ts';
import { failureOf, interruption } from './failure.ts';
import { type FollowUpWork, followUpWork, type OnComplete } from './follow-ups.ts';
import { LiveRun, type LiveRuns, type RunOrder, ShuttingDown, Stopped } from './live-run.ts';
import { runRecovery } from './recover.ts';
import type { RunRepository } from './repository.ts';
import { type EventSaver, eventSaver } from './save.ts';
import { runStopping } from './stop.ts';
import { runWatching } from './watch.ts';
import { writeAnswer } from './write-answer.ts';

const answerWithinMs = 10 * 60_000;

type Dependencies = {
  runs: RunRepository;
  events: EventRepository;
  endings: RunEndings;
  provider: Pick<Provider, 'answer'>;
  presence: Presence;
  log: FastifyBaseLogger;
  onKeyRejected: (userId: number, notice: string) => Promise<void>;
  onComplete: OnComplete;
};
type Execution = Dependencies & { live: LiveRuns; saver: EventSaver; followUps: FollowUpWork };

/** Executes runs. A run belongs to the server: readers come and go without touching it. */
export function runExecutor(dependencies: Dependencies) {
  const { runs, endings, presence, log, onComplete } = dependencies;
  const live: LiveRuns = new Map();
  const saver = eventSaver({ ...dependencies, existing: runs.existing, live });
  const followUps = followUpWork(onComplete, log);
  const execution = { ...dependencies, live, saver, followUps };
  const stopping = runStopping({ runs, presence, live });
  const watching = runWatching({ ...dependencies, live });

  presence.listen((signal) => {
    if ('stop' in signal) live.get(signal.stop)?.stop();
    else watching.told(signal.eventsOf);
  });

  return {
    isIdle: () => live.size === 0,
    /** Starts at once; the run is stored already. */
    start(order: RunOrder) {
      const run = new LiveRun(order);
      live.set(order.runId, run);
      void execute(run, execution).catch((error: unknown) =>
        log.error({ err: error, runId: order.runId }, 'ending a run failed'),
      );
    },
    watch: watching.watch,
    /** The final state of a run of this process. */
    logOf: (runId: number): FoldedLog | undefined => live.get(runId)?.log,
    ...stopping,
    ...runClosing({ runs, live, followUps, stop: stopping.stop }),
    ...runRecovery({ runs, presence, live, interrupt: endings.interrupt }),
  };
}

export type RunExecutor = ReturnType<typeof runExecutor>;

async function execute(run: LiveRun, execution: Execution) {
  const { live, followUps } = execution;
  const { order } = run;
  const limit = setTimeout(() => run.controller.abort(tookTooLong()), answerWithinMs);
  let isComplete = false;
  try {
    const publish = (events: RunEvent[]) => {
      run.publish(events);
      execution.saver.add(run);
    };
    const end = await writeAnswer(run, { provider: execution.provider, publish });
    await finish(run, { state: 'complete', reason: end.reason, error: null }, end.usage, execution);
    isComplete = end.reason === 'complete';
  } catch (error) {
    await fail(run, error, execution);
  } finally {
    clearTimeout(limit);
    live.delete(order.runId);
    run.endStreams();
    run.done.resolve();
  }
  if (isComplete && run.prepared) followUps.begin(order, run.prepared);
}

const tookTooLong = () =>
  new ProviderError('provider_timeout', 'The answer took longer than ten minutes and was cut off.');

async function fail(run: LiveRun, error: unknown, execution: Execution) {
  const { log, onKeyRejected } = execution;
  if (error instanceof Stopped)
    return finish(run, { state: 'stopped', reason: 'stopped', error: null }, null, execution);
  if (error instanceof ShuttingDown)
    return finish(run, { state: 'interrupted', reason: null, error: interruption }, null, execution);
  const failure = failureOf(error);
  const { runId, userId } = run.order;
  if (failure.code === 'internal') log.error({ err: error, runId }, 'run failed');
  else log.warn({ code: failure.code, runId }, 'run failed');
  await finish(run, { state: 'failed', reason: null, error: failure }, null, execution);
  if (failure.code === 'key_rejected') await onKeyRejected(userId, failure.message);
}

/** Stores the end, then tells it: who reads `finished` finds the whole answer in the database. */
async function finish(run: LiveRun, end: End, usage: AnswerEnd['usage'], { saver, endings, presence }: Execution) {
  await saver.leaveOut(run);
  const events = await endings.store(run, end, usage);
  run.publish(events);
  presence.send({ eventsOf: [run.order.runId] });
}
