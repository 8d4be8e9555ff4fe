import { functionCallNote, type RunEvent, type ToolCall } from '@roster/contracts/chat';
import { leftOutNotes } from '#server/features/chat/messages/history';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, AnswerPiece, AnswerRequest, Provider, ToolUse } from '#server/provider/provider';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { ProviderError } from '#server/provider/transport/error';
import { functionsCalled, isOpenCall } from './event-log.ts';
import type { LiveRun, PreparedRequest, ToolLoop } from './live-run.ts';
import { asServerCall, type ToolSteps } from './tool-steps.ts';
import { untilAborted } from './until-aborted.ts';

/** So many requests an answer may take, and each time that it is continued; in the last one nothing can be called. */
const stepsAtMost = 25;
const stepsTaken = ({ step, firstStep }: LiveRun) => step - firstStep + 1;

type Writing = {
  provider: Pick<Provider, 'answer' | 'answerMs'>;
  publish: (events: RunEvent[]) => void;
  onMade: (made: GeneratedFile) => void;
  steps: ToolSteps;
};

/**
 * Gathers what the provider is asked for, and has it write the answer, in as many steps as it calls tools that Roster
 * runs. `parked`: it waits for a person now.
 */
export async function writeAnswer(run: LiveRun, writing: Writing): Promise<AnswerEnd | 'parked'> {
  const { signal } = run.controller;
  const { answerMs } = writing.provider;
  const prepared = await withinLimit(answerMs, run, () =>
    retryUntilAvailable(signal, () => untilAborted(run.order.prepare(signal), signal)),
  );
  run.prepared = prepared;
  const { loop } = prepared;
  if (prepared.soFar) run.turns = prepared.soFar;
  for (let isGoingOn = run.isGoingOn; ; isGoingOn = false) {
    if (!isGoingOn) {
      const end = await withinLimit(answerMs, run, () => askForStep(run, prepared, writing));
      run.tier = end.tier ?? null;
      const hasCalled = end.reason === 'complete' && run.ofStep().calls.some(isOpenCall);
      if (!loop || !hasCalled || stepsTaken(run) >= stepsAtMost) return closing(run, end, writing);
      // Nothing of it is on its way when the run is let go.
      await Promise.all(run.taking);
      await writing.steps.begin(run, prepared, loop, end.usage);
    }
    if (!loop) throw new Error('A run without tools goes on with its tools');
    await retryUntilAvailable(signal, () => loop.checkBudget());
    run.isCallingTools = true;
    if ((await writing.steps.settleAll(run, loop)) === 'parked') return 'parked';
    run.isCallingTools = false;
    // What its program is to answer comes with another run.
    if (functionsCalled(run.log).length > 0) return closing(run, { reason: 'complete', usage: null }, writing);
    run.turns = await retryUntilAvailable(signal, () => writing.steps.turnsSoFar(run));
    run.step++;
  }
}

/** Each request to the provider has its time; what it called in between has another one. */
async function withinLimit<T>(ms: number, run: LiveRun, work: () => Promise<T>): Promise<T> {
  const limit = setTimeout(() => run.controller.abort(tookTooLong(ms)), ms);
  try {
    return await work();
  } finally {
    clearTimeout(limit);
  }
}

/** More than one request brings of what is kept. */
const usesAtMost = 1_000;

const tookTooLong = (ms: number) =>
  new ProviderError(
    'provider_timeout',
    `The answer took longer than ${Math.round(ms / 60_000)} minutes and was cut off.`,
  );

function closing(run: LiveRun, end: AnswerEnd, { publish }: Writing): AnswerEnd {
  const called = functionsCalled(run.log);
  if (run.firstStep > 1 && !run.hasAdded()) publish([{ type: 'note', text: nothingAdded }]);
  else if (called.length > 0) publish([{ type: 'note', text: functionCallNote(called.map(({ name }) => name)) }]);
  else if (run.log.text.trim() === '' && run.taking.length === 0) publish([wordless(end)]);
  return end;
}

const nothingAdded = 'The model added nothing when it was asked to continue.';

const lastStepNote = `Tools were called in ${stepsAtMost - 1} steps, the most that one answer may have. It was finished without them.`;

async function askForStep(run: LiveRun, prepared: PreparedRequest, writing: Writing): Promise<AnswerEnd> {
  if (run.step === 1) return asMuchAsFits(run, prepared, writing);
  const said = new Set(run.log.notes);
  const publish = (events: RunEvent[]) => {
    // What was left out of the request is left out of every step, and is said once.
    const news = events.filter((event) => event.type !== 'note' || !said.has(event.text));
    if (news.length > 0) writing.publish(news);
  };
  const isLast = stepsTaken(run) === stepsAtMost;
  if (isLast) publish([{ type: 'note', text: lastStepNote }]);
  const request = ofLaterStep(prepared.request, isLast);
  return asMuchAsFits(run, { ...prepared, request, notes: [], leftOut: 0, filesLeftOut: 0 }, { ...writing, publish });
}

/** What had to be called in the first step does not have to be called again and again. */
function ofLaterStep(request: AnswerRequest, isLast: boolean): AnswerRequest {
  const { tools } = request;
  if (!tools) return request;
  const choice = isLast ? 'none' : tools.choice === 'none' ? 'none' : 'auto';
  return { ...request, tools: { ...tools, choice } };
}

/** The same request made anew, in its step. */
function withChoiceOf({ tools: before }: AnswerRequest, again: AnswerRequest): AnswerRequest {
  const { tools } = again;
  return tools && before ? { ...again, tools: { ...tools, choice: before.choice } } : again;
}

/**
 * Where the provider finds the conversation too long, it is tried again with the newer half. What was left out in the
 * end is said once, before the answer. Where it has lost a file for code, it is tried again once it has it.
 */
async function asMuchAsFits(
  run: LiveRun,
  prepared: PreparedRequest,
  { provider, publish, onMade }: Pick<Writing, 'provider' | 'publish' | 'onMade'>,
): Promise<AnswerEnd> {
  const { turns } = prepared.request;
  let { request, filesAgain } = prepared;
  const onAsking = (isAsked: boolean) => {
    run.isAsked = isAsked;
  };
  const onToolUsed = (use: ToolUse) => {
    if (run.used.length < usesAtMost) run.used.push(use);
  };
  let kept = turns;
  for (;;) {
    const leftOut = prepared.leftOut + turns.length - kept.length;
    let notes: AnswerPiece[] = [
      ...prepared.notes.map((text) => ({ type: 'note' as const, text })),
      ...leftOutNotes(leftOut, prepared.filesLeftOut),
    ];
    const onPieces = (pieces: AnswerPiece[]) => {
      // Not yet, if there are only notes: more may have to be left out.
      const begins = pieces.some(({ type }) => type !== 'note');
      const told = run.thinking.measured(toldPieces(run, prepared, joined(run, pieces)));
      publish(begins ? [...notes, ...told] : told);
      if (begins) notes = [];
    };
    try {
      const { signal } = run.controller;
      // What is away are files that the request is made of: it has not been asked by then.
      const { refusedFunctions } = run;
      const asked = { ...request, refusedFunctions, turns: [...kept, ...run.turns], onAsking, onMade, onToolUsed };
      return await retryUntilAvailable(signal, () => provider.answer(asked, onPieces, signal));
    } catch (error) {
      const isFileGone = error instanceof ProviderError && error.isFileGone && run.ofStep().marks === '';
      if (isFileGone && filesAgain) {
        request = withChoiceOf(request, await untilAborted(filesAgain(), run.controller.signal));
        filesAgain = undefined;
        continue;
      }
      const isTooLong = error instanceof ProviderError && error.code === 'context_too_long' && run.ofStep().text === '';
      if (!isTooLong || kept.length < 2) throw error;
      kept = kept.slice(Math.ceil(kept.length / 2));
      // The steps that follow are asked for with as much.
      if (run.turns.length > 0) prepared.request.turns = kept;
    } finally {
      tellRest(run, publish);
    }
  }
}

/** After a request, however it ended: the text that was held back, and how long the model has thought. */
function tellRest(run: LiveRun, publish: Writing['publish']) {
  const rest = run.joint?.rest() ?? '';
  const last: RunEvent[] = rest === '' ? [] : run.thinking.measured([{ type: 'text', text: rest }]);
  const told = [...last, ...run.thinking.end()];
  if (told.length > 0) publish(told);
}

/** Without what the model repeats where it continues an answer. */
function joined({ joint }: LiveRun, pieces: AnswerPiece[]): AnswerPiece[] {
  if (!joint) return pieces;
  return pieces.flatMap((piece) => {
    if (piece.type === 'text') {
      const text = joint.take(piece.text);
      return text === '' ? [] : [{ ...piece, text }];
    }
    // A place in the text: all that comes before it has to stand there.
    const rest = piece.type === 'reasoning' || piece.type === 'note' ? '' : joint.rest();
    return rest === '' ? [piece] : [{ type: 'text', text: rest }, piece];
  });
}

/**
 * The functions that the model calls, as what they are: a program's, or tools that Roster calls. Where no program has asked, a
 * function that nobody offers is told to be none.
 */
function toldPieces(run: LiveRun, { loop }: PreparedRequest, pieces: AnswerPiece[]): RunEvent[] {
  return pieces.map((piece) => {
    if (piece.type !== 'tool') return piece;
    const call = loop && piece.call.kind === 'function' ? toldCall(run, loop, piece.call) : piece.call;
    // It is for the provider, and no reader is told of it.
    if (piece.echo) run.echoes.set(call.callId, piece.echo);
    return { type: 'tool', call };
  });
}

function toldCall(run: LiveRun, { offered, canAsk }: ToolLoop, call: ToolCall): ToolCall {
  if (!canAsk && !offered.some((tool) => tool.name === call.name)) return call;
  const taken = new Set(run.log.calls.slice(0, run.since.calls).map(({ callId }) => callId));
  return asServerCall(call, offered, run.step, taken);
}

/** Shown in place of an answer without text: the model only reasoned, or called a tool that does not exist. */
const wordless = ({ reason }: AnswerEnd): RunEvent => ({ type: 'note', text: wordlessNotes[reason] });
const wordlessNotes: Record<AnswerEnd['reason'], string> = {
  complete: 'The model ended without writing an answer. Ask for a new one, or put the question differently.',
  length: 'The model reached its limit before it had written anything. Ask for a new answer, or use less reasoning.',
  content_filter: 'The provider’s content filter let nothing of the answer through. Put the question differently.',
};
