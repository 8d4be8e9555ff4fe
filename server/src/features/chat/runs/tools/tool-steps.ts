import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { type OfferedTool, ToolError, type ToolRegistry, type ToolResult } from '#server/conversation/tools';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import { startFetching } from '#server/features/chat/generated-files/service';
import { eventCall, frameOf } from '#server/features/chat/runs/events/event-log';
import { eventRepository } from '#server/features/chat/runs/events/event-repository';
import { abortable } from '#server/features/chat/runs/lifecycle/abortable';
import { runClaimRepository } from '#server/features/chat/runs/lifecycle/claim-repository';
import type { EventWriter } from '#server/features/chat/runs/lifecycle/event-writer';
import { type LiveRun, RunStoppedError } from '#server/features/chat/runs/lifecycle/live-run';
import type { PreparedRequest, ToolLoop } from '#server/features/chat/runs/lifecycle/run-spec';
import {
  fullNote,
  notCalledFull,
  storable,
  type ToolOutputBudget,
} from '#server/features/chat/runs/lifecycle/tool-output-budget';
import { runUsage } from '#server/features/chat/runs/lifecycle/usage';
import { apiRunRepository } from '#server/features/chat/shared/api-run-repository';
import { type ServerCall, serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import { isOpenCall, type PlacedCall, toPublicCall } from '#server/features/chat/shared/tool-call-repository';
import type { PricingService } from '#server/features/usage/pricing';
import { usageRepository } from '#server/features/usage/repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, ConversationTurn } from '#server/provider/provider';
import { argumentsOf, nextOf, planned } from './tool-plan.ts';

/** A run waits this long for an approval. */
const waitsForPersonMs = 7 * 24 * 60 * 60_000;
export const approvalDeadline = () => new Date(Date.now() + waitsForPersonMs).toISOString();

const titleLimit = 200;

export type ToolStepDependencies = {
  db: Kysely<Database>;
  toolBox: ToolRegistry;
  /** Time limit of a call. */
  toolCallMs: number;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  presence: Pick<Presence, 'instance' | 'send'>;
  log: FastifyBaseLogger;
};

type CallResult = Pick<ToolCall, 'state'> & { output: string };

/**
 * Runs connected tools. Events are stored before they are published, so any instance can resume from what readers saw.
 */
export function toolSteps({
  db,
  toolBox,
  toolCallMs,
  pricing,
  presence,
  log,
  writer,
}: ToolStepDependencies & { writer: EventWriter }) {
  const usages = runUsage(pricing);
  const { instance } = presence;

  /**
   * Stores unsaved events, the changed calls and the changes of `work` in one transaction, then publishes. If there are
   * no events, `work` may run twice.
   */
  const storeFirst = (run: LiveRun, calls: readonly PlacedCall[], work: (trx: Kysely<Database>) => Promise<void>) =>
    run.serialize(async () => {
      const { runId } = run.spec;
      const events = [
        ...calls.map((call): RunEvent => ({ type: 'tool', call: eventCall(toPublicCall(call)) })),
        ...fullness(run),
      ];
      const unsaved = run.unsaved();
      const next = run.frames.length + 1;
      const frames = (unsaved?.frames ?? '') + events.map((event, index) => frameOf(next + index, event)).join('');
      const last = run.frames.length + events.length;
      await retryUntilAvailable(run.released.signal, async (isRepeated) => {
        if (isRepeated && frames !== '' && (await eventRepository(db).lastNumber(runId)) >= last) return;
        await db.transaction().execute(async (trx) => {
          await work(trx);
          if (frames === '') return;
          run.hasStored = true;
          await eventRepository(trx).store([], [{ runId, first: unsaved?.first ?? next, last, frames }]);
        });
      });
      run.announced = true;
      run.publish(events);
      run.markSaved(last);
      presence.send({ eventsOf: [runId] });
    });

  /** Stores a step that ended with tool calls: its usage, and the plan for each call. */
  async function begin(run: LiveRun, prepared: PreparedRequest, loop: ToolLoop, reported: AnswerEnd['usage']) {
    const { userId, runId, threadId, messageId, apiRunId } = run.spec;
    await writer.detach(run);
    const calls = serverCallRepository(db);
    const { signal } = run.controller;
    const earlier = run.step > 1 ? await retryUntilAvailable(signal, () => calls.ofRun(userId, runId)) : [];
    const approvals = loop.canAsk ? await retryUntilAvailable(signal, () => calls.approvals(userId, threadId)) : [];
    const context = { ...loop, approvals, earlier, echoes: run.echoes, step: run.step };
    const positions = new Map(run.log.calls.map(({ callId }, position) => [callId, position]));
    const all = run
      .ofStep()
      .calls.filter(isOpenCall)
      .map((call) => planned(call, positions.get(call.callId) ?? 0, context));
    const at = new Date().toISOString();
    const usage = await usages.ofStep(run, prepared, reported, at);
    await storeFirst(
      run,
      all.filter(({ output }) => output !== null),
      async (trx) => {
        if (!(await runClaimRepository(trx).keepExecuting(runId, instance, loop.settings))) throw new RunStoppedError();
        await serverCallRepository(trx).insert(run.spec, all);
        // The run may wait for days, and the provider deletes generated files before that.
        if (run.fileTasks.length > 0) await startFetching(trx, userId, messageId, at);
        const accessTokenId = apiRunId === null ? null : await apiRunRepository(trx).tokenOf(userId, apiRunId);
        for (const record of [usage, ...usages.ofTools({ ...run.spec, model: usage.model }, run.used, at)])
          await usageRepository(trx).record(userId, { ...record, accessTokenId }, true);
      },
    );
    run.beginStep();
  }

  async function settle(run: LiveRun, call: ServerCall, { state, output }: CallResult) {
    const { userId, runId } = run.spec;
    const settled = { ...call, state, output };
    await storeFirst(run, [settled], (trx) => serverCallRepository(trx).settle(userId, runId, settled));
    run.activeCalls.delete(call.callId);
  }

  async function callOne(run: LiveRun, call: ServerCall, tool: OfferedTool) {
    const { signal } = run.controller;
    const limit = AbortSignal.timeout(toolCallMs);
    const either = AbortSignal.any([signal, limit]);
    let settled: CallResult;
    try {
      const input = argumentsOf(call.input) ?? {};
      const calling = Promise.resolve().then(() => toolBox.call(run.spec.userId, tool, input, either));
      settled = ofResult(await abortable(calling, either), run.outputBudget);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof ToolError) && error !== limit.reason)
        log.error({ err: error, runId: run.spec.runId }, 'calling a tool failed');
      settled = ofFailure(error, tool, error === limit.reason ? toolCallMs : undefined);
    }
    await settle(run, call, settled);
  }

  /** Runs approved calls, except those whose tool was removed or has changed. */
  async function make(run: LiveRun, { offered, canAsk }: ToolLoop, group: readonly ServerCall[]) {
    const { userId, runId } = run.spec;
    const ready: { call: ServerCall; tool: OfferedTool }[] = [];
    for (const call of group) {
      const tool = offered.find(({ serverId, tool: name }) => serverId === call.serverId && name === call.tool);
      if (!tool) await settle(run, call, { state: 'failed', output: goneTool });
      else if (run.outputBudget.isFull) await settle(run, call, { state: 'failed', output: notCalledFull });
      else if (tool.digest === call.digest) ready.push({ call, tool });
      else if (!canAsk) await settle(run, call, { state: 'failed', output: changedTool });
      else
        await storeFirst(run, [], (trx) => serverCallRepository(trx).askAgain(userId, runId, call.callId, tool.digest));
    }
    if (ready.length === 0) return;
    const ids = ready.map(({ call }) => call.callId);
    await storeFirst(run, [], async (trx) => {
      if (!(await runClaimRepository(trx).keepExecuting(runId, instance))) throw new RunStoppedError();
      await serverCallRepository(trx).make(userId, runId, ids);
    });
    run.controller.signal.throwIfAborted();
    for (const id of ids) run.activeCalls.add(id);
    await Promise.all(ready.map(({ call, tool }) => callOne(run, call, tool)));
  }

  /** Parks the run until the user decides; no instance owns it meanwhile. */
  async function park(run: LiveRun, open: readonly ServerCall[]) {
    await storeFirst(
      run,
      open.map((call) => ({ ...call, state: call.state === 'uncertain' ? call.state : 'waiting' })),
      async (trx) => {
        if (!(await runClaimRepository(trx).wait(run.spec.runId, instance, approvalDeadline())))
          throw new RunStoppedError();
      },
    );
  }

  return {
    begin,
    /**
     * Runs all calls that need no decision. `parked`: the user has to decide on others, and no instance owns the run.
     */
    async settleAll(run: LiveRun, loop: ToolLoop): Promise<'settled' | 'parked'> {
      const { userId, runId } = run.spec;
      for (;;) {
        run.controller.signal.throwIfAborted();
        const open = await retryUntilAvailable(run.controller.signal, () =>
          serverCallRepository(db).open(userId, runId),
        );
        if (open.length === 0) return 'settled';
        const allowed = open.filter(({ decision }) => decision !== null);
        if (allowed.length === 0) {
          await park(run, open);
          return 'parked';
        }
        await make(run, loop, nextOf(allowed));
      }
    },
    /** The calls so far with their outputs, as turns for the model. */
    turnsSoFar: async ({ spec: { userId, runId }, log: { text } }: LiveRun): Promise<ConversationTurn[]> =>
      turnsOf(text, await serverCallRepository(db).ofRun(userId, runId)),
  };
}

export type ToolSteps = ReturnType<typeof toolSteps>;

/** A note, once, when the output budget is used up. */
const fullness = ({ outputBudget, log }: LiveRun): RunEvent[] =>
  outputBudget.isFull && !log.notes.includes(fullNote) ? [{ type: 'note', text: fullNote }] : [];

const goneTool = 'This tool is no longer available. It was not called.';
const changedTool = 'This tool has changed since you selected it. It was not called.';

function ofResult({ text, isError }: ToolResult, room: ToolOutputBudget): CallResult {
  const output = room.take(text);
  return isError
    ? { state: 'failed', output: output || 'The tool failed, and did not say why.' }
    : { state: 'done', output };
}

function ofFailure(error: unknown, { mayRepeat }: OfferedTool, tookMs: number | undefined): CallResult {
  const mayHaveRun = error instanceof ToolError ? error.mayHaveRun : true;
  const why =
    error instanceof ToolError
      ? error.message
      : tookMs === undefined
        ? 'The tool call failed.'
        : `The tool did not answer within ${Math.ceil(tookMs / 1000)} seconds.`;
  const isInDoubt = mayHaveRun && !mayRepeat;
  return {
    state: isInDoubt ? 'uncertain' : 'failed',
    output: storable(isInDoubt ? `${why} It may have run: ask before it is called again.` : why),
  };
}

/** One turn per step: the text before its calls, and the calls with their outputs. */
function turnsOf(text: string, calls: readonly ServerCall[]): ConversationTurn[] {
  const steps = [...Map.groupBy(calls, ({ step }) => step).values()];
  let from = 0;
  return steps.map((step, index) => {
    const end = index === steps.length - 1 ? text.length : Math.max(...step.map(({ at }) => at));
    const words = text.slice(from, end);
    from = end;
    const answered = step.map(({ callId, name, input, output, echo }) => ({
      callId,
      name,
      input,
      output: output ?? '',
      ...(echo && { echo }),
    }));
    return { role: 'assistant', text: words, calls: answered };
  });
}

/** A function call as a call of a connected tool. `taken`: call ids of earlier steps, which some providers reuse. */
export function asServerCall(
  call: ToolCall,
  offered: readonly OfferedTool[],
  step: number,
  taken: ReadonlySet<string>,
): ToolCall {
  const tool = offered.find(({ name }) => name === call.name);
  return {
    ...call,
    kind: 'server',
    callId: taken.has(call.callId) ? `${call.callId}-${step}` : call.callId,
    ...(tool && { tool: tool.tool }),
    title: truncate(tool?.title || tool?.tool || call.name, titleLimit),
    server: tool ? truncate(tool.serverName, titleLimit) : null,
    state: 'running',
  };
}
