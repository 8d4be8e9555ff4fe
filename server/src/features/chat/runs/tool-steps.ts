import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { type OfferedTool, ToolError, type ToolRegistry, type ToolResult } from '#server/conversation/tools';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import { beginFetching } from '#server/features/chat/made-files/fetch';
import type { PricingService } from '#server/features/usage/pricing';
import { usageRepository } from '#server/features/usage/repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, ConversationTurn } from '#server/provider/provider';
import { eventCall, frameOf, isOpenCall, type PlacedCall } from './event-log.ts';
import { eventRepository } from './event-repository.ts';
import { type LiveRun, type PreparedRequest, Stopped, type ToolLoop } from './live-run.ts';
import { programRunRepository } from './program-run-repository.ts';
import { runRepository } from './repository.ts';
import type { EventSaver } from './save.ts';
import { type ServerCall, serverCallRepository } from './server-call-repository.ts';
import { toldCall } from './tool-call-repository.ts';
import { argumentsOf, nextOf, planned } from './tool-plan.ts';
import { fullNote, notCalledFull, type ResultRoom, storable } from './tool-results.ts';
import { untilAborted } from './until-aborted.ts';
import { runUsage } from './usage.ts';

/** So long a run waits for a person. */
const waitsForPersonMs = 7 * 24 * 60 * 60_000;
export const approvableUntil = () => new Date(Date.now() + waitsForPersonMs).toISOString();

const titleLimit = 200;

export type ToolStepDependencies = {
  db: Kysely<Database>;
  toolBox: ToolRegistry;
  /** A call that takes longer is given up. */
  toolCallMs: number;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  presence: Pick<Presence, 'instance' | 'send'>;
  log: FastifyBaseLogger;
};

type Settled = Pick<ToolCall, 'state'> & { output: string };

/**
 * The tools' turn in an answer. Whatever is told is stored before, so that a reader has seen nothing that another process
 * does not find when it goes on.
 *
 * Long: storing first, then each thing that happens to a call, read alone.
 */
export function toolSteps({
  db,
  toolBox,
  toolCallMs,
  pricing,
  presence,
  log,
  saver,
}: ToolStepDependencies & { saver: EventSaver }) {
  const usages = runUsage(pricing);
  const { instance } = presence;

  /**
   * Stores what was told and what is told now with it, with whatever `work` changes, in one transaction. Then tells it.
   * Where there is nothing to tell, `work` may be done twice.
   */
  const storeFirst = (run: LiveRun, told: readonly PlacedCall[], work: (trx: Kysely<Database>) => Promise<void>) =>
    run.inTurn(async () => {
      const { runId } = run.order;
      const events = [
        ...told.map((call): RunEvent => ({ type: 'tool', call: eventCall(toldCall(call)) })),
        ...fullness(run),
      ];
      const unsaved = run.unsaved();
      const next = run.frames.length + 1;
      const frames = (unsaved?.frames ?? '') + events.map((event, index) => frameOf(next + index, event)).join('');
      const last = run.frames.length + events.length;
      await retryUntilAvailable(run.letGo.signal, async (isRepeated) => {
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

  /** Stores the step that the model has ended with calls: what it has used, and what becomes of each call. */
  async function begin(run: LiveRun, prepared: PreparedRequest, loop: ToolLoop, reported: AnswerEnd['usage']) {
    const { userId, runId, threadId, messageId, programRunId } = run.order;
    await saver.leaveOut(run);
    const calls = serverCallRepository(db);
    const { signal } = run.controller;
    const earlier = run.step > 1 ? await retryUntilAvailable(signal, () => calls.ofRun(userId, runId)) : [];
    const approvals = loop.canAsk ? await retryUntilAvailable(signal, () => calls.approvals(userId, threadId)) : [];
    const known = { ...loop, approvals, earlier, echoes: run.echoes, step: run.step };
    const positions = new Map(run.log.calls.map(({ callId }, position) => [callId, position]));
    const all = run
      .ofStep()
      .calls.filter(isOpenCall)
      .map((call) => planned(call, positions.get(call.callId) ?? 0, known));
    const at = new Date().toISOString();
    const usage = await usages.ofStep(run, prepared, reported, at);
    await storeFirst(
      run,
      all.filter(({ output }) => output !== null),
      async (trx) => {
        if (!(await runRepository(trx).keepExecuting(runId, instance, loop.settings))) throw new Stopped();
        await serverCallRepository(trx).insert(run.order, all);
        // It may wait for days, and what code has made is gone by then.
        if (run.taking.length > 0) await beginFetching(trx, userId, messageId, at);
        const accessTokenId =
          programRunId === null ? null : await programRunRepository(trx).tokenOf(userId, programRunId);
        for (const record of [usage, ...usages.ofTools(run.order, run.used, at)])
          await usageRepository(trx).record(userId, { ...record, accessTokenId }, true);
      },
    );
    run.beginStep();
  }

  async function settle(run: LiveRun, call: ServerCall, { state, output }: Settled) {
    const { userId, runId } = run.order;
    const settled = { ...call, state, output };
    await storeFirst(run, [settled], (trx) => serverCallRepository(trx).settle(userId, runId, settled));
    run.made.delete(call.callId);
  }

  async function callOne(run: LiveRun, call: ServerCall, tool: OfferedTool) {
    const { signal } = run.controller;
    const limit = AbortSignal.timeout(toolCallMs);
    const either = AbortSignal.any([signal, limit]);
    let settled: Settled;
    try {
      const input = argumentsOf(call.input) ?? {};
      const calling = Promise.resolve().then(() => toolBox.call(run.order.userId, tool, input, either));
      settled = ofResult(await untilAborted(calling, either), run.results);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof ToolError) && error !== limit.reason)
        log.error({ err: error, runId: run.order.runId }, 'calling a tool failed');
      settled = ofFailure(error, tool, error === limit.reason ? toolCallMs : undefined);
    }
    await settle(run, call, settled);
  }

  /** Makes these calls, each as it was approved; one whose tool is gone or has changed is not made. */
  async function make(run: LiveRun, { offered, canAsk }: ToolLoop, group: readonly ServerCall[]) {
    const { userId, runId } = run.order;
    const ready: { call: ServerCall; tool: OfferedTool }[] = [];
    for (const call of group) {
      const tool = offered.find(({ serverId, tool: name }) => serverId === call.serverId && name === call.tool);
      if (!tool) await settle(run, call, { state: 'failed', output: goneTool });
      else if (run.results.isFull) await settle(run, call, { state: 'failed', output: notCalledFull });
      else if (tool.digest === call.digest) ready.push({ call, tool });
      else if (!canAsk) await settle(run, call, { state: 'failed', output: changedTool });
      else
        await storeFirst(run, [], (trx) => serverCallRepository(trx).askAgain(userId, runId, call.callId, tool.digest));
    }
    if (ready.length === 0) return;
    const ids = ready.map(({ call }) => call.callId);
    await storeFirst(run, [], async (trx) => {
      if (!(await runRepository(trx).keepExecuting(runId, instance))) throw new Stopped();
      await serverCallRepository(trx).make(userId, runId, ids);
    });
    run.controller.signal.throwIfAborted();
    for (const id of ids) run.made.add(id);
    await Promise.all(ready.map(({ call, tool }) => callOne(run, call, tool)));
  }

  /** Lets the run go until a person has decided; no process holds it. */
  async function park(run: LiveRun, open: readonly ServerCall[]) {
    await storeFirst(
      run,
      open.map((call) => ({ ...call, state: call.state === 'uncertain' ? call.state : 'waiting' })),
      async (trx) => {
        if (!(await runRepository(trx).wait(run.order.runId, instance, approvableUntil()))) throw new Stopped();
      },
    );
  }

  return {
    begin,
    /** Makes the calls that may be made. `parked`: a person is to decide on others, and the run is not ours any more. */
    async settleAll(run: LiveRun, loop: ToolLoop): Promise<'settled' | 'parked'> {
      const { userId, runId } = run.order;
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
    /** What the model is told of its calls so far, and of what came of them. */
    turnsSoFar: async ({ order: { userId, runId }, log: { text } }: LiveRun): Promise<ConversationTurn[]> =>
      turnsOf(text, await serverCallRepository(db).ofRun(userId, runId)),
  };
}

export type ToolSteps = ReturnType<typeof toolSteps>;

/** Said once, as soon as it is so. */
const fullness = ({ results, log }: LiveRun): RunEvent[] =>
  results.isFull && !log.notes.includes(fullNote) ? [{ type: 'note', text: fullNote }] : [];

const goneTool = 'This tool is not offered any more. It was not called.';
const changedTool = 'This tool is not what it was when it was chosen. It was not called.';

function ofResult({ text, isError }: ToolResult, room: ResultRoom): Settled {
  const output = room.take(text);
  return isError
    ? { state: 'failed', output: output || 'The tool failed, and did not say why.' }
    : { state: 'done', output };
}

function ofFailure(error: unknown, { mayRepeat }: OfferedTool, tookMs: number | undefined): Settled {
  const mayHaveRun = error instanceof ToolError ? error.mayHaveRun : true;
  const why =
    error instanceof ToolError
      ? error.message
      : tookMs === undefined
        ? 'Something went wrong when the tool was called.'
        : `The tool did not answer within ${Math.ceil(tookMs / 1000)} seconds.`;
  const isInDoubt = mayHaveRun && !mayRepeat;
  return {
    state: isInDoubt ? 'uncertain' : 'failed',
    output: storable(isInDoubt ? `${why} It may have run: ask before it is called again.` : why),
  };
}

/** Each step as a turn of its own: the words that came before its calls, and the calls with what they were answered. */
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

/** The model’s call, as a person sees whose tool it is. `taken`: the ids of calls of the steps before, which some providers give again. */
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
