import type { RunEvent } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { FastifyBaseLogger } from 'fastify';
import type { Presence } from '#server/db/presence';
import type { CollectGeneratedFile } from '#server/features/chat/generated-files/service';
import type { RunRepository } from '#server/features/chat/shared/run-repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { Metrics } from '#server/metrics/metrics';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { fallbackNote, isOutage } from '#server/provider/fallback';
import type { AnswerEnd, Provider } from '#server/provider/provider';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { cutCalls, eventCall } from './events/event-log.ts';
import type { EventWriter } from './lifecycle/event-writer.ts';
import { failureOf, interruption } from './lifecycle/failure.ts';
import type { RunFinalizer, RunOutcome } from './lifecycle/finalize.ts';
import type { FollowUpWork } from './lifecycle/follow-ups.ts';
import {
  type LiveRun,
  type LiveRuns,
  RunHandedOffError,
  RunStoppedError,
  ShutdownError,
} from './lifecycle/live-run.ts';
import type { BuildRequest, RunSpec } from './lifecycle/run-spec.ts';
import type { RunSubscriptions } from './lifecycle/subscribe.ts';
import type { ToolSteps } from './tools/tool-steps.ts';
import { writeAnswer } from './write-answer.ts';

type Fallback = { spec: RunSpec; model: string; note: string };

/** The assistant's other model, if the first one has failed before it wrote anything. */
function fallbackOf({ spec, log }: LiveRun, error: unknown): Fallback | null {
  const { input } = spec;
  if (input.kind !== 'answer' || !input.target.fallback || !isOutage(error)) return null;
  if (log.text !== '' || log.reasoning !== '' || log.calls.length > 0) return null;
  const { fallback, ...target } = input.target;
  return {
    spec: { ...spec, input: { ...input, target: { ...target, ...fallback } } },
    model: fallback.model,
    note: fallbackNote(target.model, fallback.model, error.message),
  };
}

export type Execution = {
  buildRequest: BuildRequest;
  runs: Pick<RunRepository, 'setModel'>;
  provider: Pick<Provider, 'answer' | 'answerMs'>;
  steps: ToolSteps;
  collectFile: CollectGeneratedFile;
  finalizer: RunFinalizer;
  catalogue: Pick<Catalogue, 'successor'>;
  metrics: Pick<Metrics, 'firstToken' | 'passedOn' | 'runEnded'>;
  presence: Pick<Presence, 'send'>;
  onKeyRejected: (userId: number, notice: string, model: string | null) => Promise<void>;
  log: FastifyBaseLogger;
  live: LiveRuns;
  writer: EventWriter;
  followUps: FollowUpWork;
  subscriptions: RunSubscriptions;
  /** Called when the end of a run is stored. */
  onEnded: (run: Pick<RunSpec, 'userId' | 'threadId'>) => void;
};

/** More files than one request generates. */
const positionsPerStep = 1_000;

/** Has the answer written until it ends, fails, is stopped, or waits for an approval. */
export async function execute(run: LiveRun, execution: Execution) {
  const { live, followUps, subscriptions } = execution;
  const { spec } = run;
  let isComplete = false;
  let isParked = false;
  try {
    const end = await write(run, execution);
    isParked = end === 'parked';
    if (end !== 'parked') {
      await finish(run, { state: 'complete', reason: end.reason, error: null }, end.usage, execution);
      isComplete = end.reason === 'complete';
    }
  } catch (error) {
    if (error instanceof RunHandedOffError) throw error;
    // While tools are called, everything published is already stored, so another instance can resume.
    if (!(error instanceof ShutdownError && run.isCallingTools)) await fail(run, error, execution);
  } finally {
    // A parked run may have been resumed here already.
    if (live.get(spec.runId) === run) live.delete(spec.runId);
    if (isParked) subscriptions.followElsewhere(spec, run.frames.length, run.handOver());
    else run.endStreams();
    run.done.resolve();
  }
  if (isComplete && run.prepared) followUps.start(spec, run.prepared);
  if (!isParked && spec.comparisonId === null) execution.onEnded(spec);
}

async function write(run: LiveRun, execution: Execution): Promise<AnswerEnd | 'parked'> {
  const { buildRequest, provider, steps, collectFile, writer, metrics, runs } = execution;
  const publish = (events: RunEvent[]) => {
    const startedAt = performance.now();
    const hadText = run.log.text !== '';
    run.publish(events);
    writer.add(run);
    const endedAt = performance.now();
    metrics.passedOn((endedAt - startedAt) / 1_000);
    if (!hadText && run.log.text !== '') metrics.firstToken((endedAt - run.startedAt) / 1_000);
  };
  const onMade = (file: GeneratedFile) => {
    // Offset by step: a resumed run does not know how many files earlier steps generated.
    const position = (run.step - 1) * positionsPerStep + run.fileTasks.length;
    run.fileTasks.push(collectFile(run.spec, file, position));
  };
  const writing = { buildRequest, provider, publish, onMade, steps };
  try {
    return await writeAnswer(run, run.spec, writing);
  } catch (error) {
    const fallback = fallbackOf(run, error);
    if (!fallback) throw error;
    const { runId, userId } = run.spec;
    execution.log.warn(
      { code: failureOf(error).code, runId },
      'the model failed; asking the fallback model of the assistant',
    );
    await noteKey(run, failureOf(error), execution);
    await retryUntilAvailable(run.controller.signal, () => runs.setModel(userId, runId, fallback.model));
    publish([{ type: 'note', text: fallback.note }]);
    return writeAnswer(run, fallback.spec, writing);
  }
}

/** A rejected key is shown where it was saved. */
async function noteKey(run: LiveRun, { code, message }: RunError, { onKeyRejected }: Execution) {
  if (code === 'key_rejected') await onKeyRejected(run.spec.userId, message, run.prepared?.request.model ?? null);
}

async function fail(run: LiveRun, error: unknown, execution: Execution) {
  const { log, catalogue } = execution;
  if (error instanceof RunStoppedError)
    return finish(run, { state: 'stopped', reason: 'stopped', error: null }, null, execution);
  if (error instanceof ShutdownError)
    return finish(run, { state: 'interrupted', reason: null, error: interruption }, null, execution);
  const failure = failureOf(error, run.prepared && catalogue.successor(run.prepared.request.model));
  const { runId } = run.spec;
  if (failure.code === 'internal') log.error({ err: error, runId }, 'run failed');
  else log.warn({ code: failure.code, runId }, 'run failed');
  await finish(run, { state: 'failed', reason: null, error: failure }, null, execution);
  await noteKey(run, failure, execution);
}

/** Stores the end before publishing it: a reader of `finished` finds the whole answer in the database. */
async function finish(run: LiveRun, outcome: RunOutcome, usage: AnswerEnd['usage'], execution: Execution) {
  const { writer, finalizer, presence, metrics } = execution;
  run.publish(cutCalls(run.log, run.activeCalls).map((call) => ({ type: 'tool', call: eventCall(call) })));
  await writer.detach(run);
  const fileErrors = (await Promise.all(run.fileTasks)).filter((note) => note !== null);
  run.publish(fileErrors.map((text) => ({ type: 'note', text })));
  const events = await finalizer.store(run, outcome, usage);
  run.publish(events);
  metrics.runEnded(outcome.state, outcome.error?.code);
  presence.send({ eventsOf: [run.spec.runId] });
}
