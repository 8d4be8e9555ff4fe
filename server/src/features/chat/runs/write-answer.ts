import { attachedBytesLimit, type RunEvent, type ToolCall } from '@roster/contracts/chat';
import { functionCallNote } from '@roster/contracts/text/function-call-note';
import { isOpenCall } from '#server/features/chat/shared/tool-call-repository';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { AnswerEnd, AnswerPiece, AnswerRequest, Provider, ToolUse } from '#server/provider/provider';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { ProviderError } from '#server/provider/transport/error';
import { clientFunctionCalls } from './events/event-log.ts';
import { abortable } from './lifecycle/abortable.ts';
import type { LiveRun } from './lifecycle/live-run.ts';
import type { BuildRequest, PreparedRequest, RunSpec, ToolLoop } from './lifecycle/run-spec.ts';
import { asServerCall, type ToolSteps } from './tools/tool-steps.ts';

/** Requests per answer or continuation; the last one is sent without tools. */
const maxSteps = 25;
const stepsTaken = ({ step, firstStep }: LiveRun) => step - firstStep + 1;

type Writing = {
  buildRequest: BuildRequest;
  provider: Pick<Provider, 'answer' | 'answerMs'>;
  publish: (events: RunEvent[]) => void;
  onMade: (made: GeneratedFile) => void;
  steps: ToolSteps;
};

/**
 * Builds the request and has the provider write the answer, with one more step for each round of connected tools.
 * `parked`: the run waits for an approval.
 */
export async function writeAnswer(run: LiveRun, spec: RunSpec, writing: Writing): Promise<AnswerEnd | 'parked'> {
  const { signal } = run.controller;
  const { answerMs } = writing.provider;
  const prepared = await withinLimit(answerMs, run, () =>
    retryUntilAvailable(signal, () => abortable(writing.buildRequest(spec, signal), signal)),
  );
  run.prepared = prepared;
  const { loop } = prepared;
  if (prepared.soFar) run.turns = prepared.soFar;
  for (let isResumed = run.isResumed; ; isResumed = false) {
    if (!isResumed) {
      const end = await withinLimit(answerMs, run, () => requestStep(run, prepared, writing));
      run.tier = end.tier ?? null;
      const hasCalled = end.reason === 'complete' && run.ofStep().calls.some(isOpenCall);
      if (!loop || !hasCalled || stepsTaken(run) >= maxSteps) return closing(run, end, writing);
      // Wait for pending file saves before the run may be parked.
      await Promise.all(run.fileTasks);
      await writing.steps.begin(run, prepared, loop, end.usage);
    }
    if (!loop) throw new Error('A run without tools goes on with its tools');
    await retryUntilAvailable(signal, () => loop.checkBudget());
    run.isCallingTools = true;
    if ((await writing.steps.settleAll(run, loop)) === 'parked') return 'parked';
    run.isCallingTools = false;
    // Function outputs are submitted through a new run.
    if (clientFunctionCalls(run.log).length > 0) return closing(run, { reason: 'complete', usage: null }, writing);
    run.turns = await retryUntilAvailable(signal, () => writing.steps.turnsSoFar(run));
    run.step++;
  }
}

/** The time limit applies to each request; tool calls have their own. */
async function withinLimit<T>(ms: number, run: LiveRun, work: () => Promise<T>): Promise<T> {
  const limit = setTimeout(() => run.controller.abort(tookTooLong(ms)), ms);
  try {
    return await work();
  } finally {
    clearTimeout(limit);
  }
}

/** Recorded uses of built-in tools per request; more than a request has. */
const maxUses = 1_000;

const tookTooLong = (ms: number) =>
  new ProviderError(
    'provider_timeout',
    `The answer took longer than ${Math.round(ms / 60_000)} minutes and was cut off.`,
  );

function closing(run: LiveRun, end: AnswerEnd, { publish }: Writing): AnswerEnd {
  const called = clientFunctionCalls(run.log);
  if (run.firstStep > 1 && !run.hasAdded()) publish([{ type: 'note', text: nothingAdded }]);
  else if (called.length > 0) publish([{ type: 'note', text: functionCallNote(called.map(({ name }) => name)) }]);
  else if (run.log.text.trim() === '' && run.fileTasks.length === 0) publish([wordless(end)]);
  return end;
}

const nothingAdded = 'The model added nothing when it was asked to continue.';

const lastStepNote = `The answer used tools in ${maxSteps - 1} steps, the most that one answer can have, and was finished without them.`;

async function requestStep(run: LiveRun, prepared: PreparedRequest, writing: Writing): Promise<AnswerEnd> {
  if (run.step === 1) return withTruncationRetry(run, prepared, writing);
  const shown = new Set(run.log.notes);
  const publish = (events: RunEvent[]) => {
    // Notes about omitted messages apply to every step and are shown once.
    const news = events.filter((event) => event.type !== 'note' || !shown.has(event.text));
    if (news.length > 0) writing.publish(news);
  };
  const isLast = stepsTaken(run) === maxSteps;
  if (isLast) publish([{ type: 'note', text: lastStepNote }]);
  const request = toolChoiceForStep(prepared.request, isLast);
  return withTruncationRetry(
    run,
    { ...prepared, request, notes: [], leftOut: 0, filesLeftOut: 0 },
    { ...writing, publish },
  );
}

/** A required tool call is only required in the first step. */
function toolChoiceForStep(request: AnswerRequest, isLast: boolean): AnswerRequest {
  const { tools } = request;
  if (!tools) return request;
  const choice = isLast ? 'none' : tools.choice === 'none' ? 'none' : 'auto';
  return { ...request, tools: { ...tools, choice } };
}

/** Keeps the step's tool choice in a rebuilt request. */
function withChoiceOf({ tools: before }: AnswerRequest, again: AnswerRequest): AnswerRequest {
  const { tools } = again;
  return tools && before ? { ...again, tools: { ...tools, choice: before.choice } } : again;
}

/**
 * Sends a request; if the provider rejects it as too long, retries with the newer half of the history and notes that
 * before the answer. If the provider has lost a file for code, uploads it and retries once.
 */
async function withTruncationRetry(
  run: LiveRun,
  prepared: PreparedRequest,
  { provider, publish, onMade }: Pick<Writing, 'provider' | 'publish' | 'onMade'>,
): Promise<AnswerEnd> {
  const { turns } = prepared.request;
  let { request, filesAgain } = prepared;
  const onAsking = (isAwaiting: boolean) => {
    run.isAwaitingProvider = isAwaiting;
  };
  const onToolUsed = (use: ToolUse) => {
    if (run.used.length < maxUses) run.used.push(use);
  };
  let kept = turns;
  for (;;) {
    const leftOut = prepared.leftOut + turns.length - kept.length;
    let notes: AnswerPiece[] = [
      ...prepared.notes.map((text) => ({ type: 'note' as const, text })),
      ...leftOutNotes(leftOut, prepared.filesLeftOut),
    ];
    const onPieces = (pieces: AnswerPiece[]) => {
      // Held back while only notes arrive: a retry may leave out more.
      const begins = pieces.some(({ type }) => type !== 'note');
      const events = run.thinking.measured(eventsOf(run, prepared, joined(run, pieces)));
      publish(begins ? [...notes, ...events] : events);
      if (begins) notes = [];
    };
    try {
      const { signal } = run.controller;
      // Retries only while files of the request cannot be read; the provider has not been called by then.
      const { refusedFunctions } = run;
      const sent = { ...request, refusedFunctions, turns: [...kept, ...run.turns], onAsking, onMade, onToolUsed };
      return await retryUntilAvailable(signal, () => provider.answer(sent, onPieces, signal));
    } catch (error) {
      const isFileGone = error instanceof ProviderError && error.isFileGone && run.ofStep().marks === '';
      if (isFileGone && filesAgain) {
        request = withChoiceOf(request, await abortable(filesAgain(), run.controller.signal));
        filesAgain = undefined;
        continue;
      }
      const isTooLong = error instanceof ProviderError && error.code === 'context_too_long' && run.ofStep().text === '';
      if (!isTooLong || kept.length < 2) throw error;
      kept = kept.slice(Math.ceil(kept.length / 2));
      // Later steps start from the shortened history.
      if (run.turns.length > 0) prepared.request.turns = kept;
    } finally {
      tellRest(run, publish);
    }
  }
}

const cutNote = (left: number) =>
  `The conversation is longer than this model can read: the oldest ${left === 1 ? 'message was' : `${left} messages were`} left out.`;
const filesNote = (left: number) =>
  `${left === 1 ? 'A file' : `${left} files`} of earlier messages ${left === 1 ? 'was' : 'were'} left out: with one request ${attachedBytesLimit / 1024 / 1024} MB of files can be sent.`;

function leftOutNotes(messages: number, files: number): AnswerPiece[] {
  const notes = [...(messages > 0 ? [cutNote(messages)] : []), ...(files > 0 ? [filesNote(files)] : [])];
  return notes.map((text) => ({ type: 'note', text }));
}

/** After each request: publishes the text that was held back and the thinking time. */
function tellRest(run: LiveRun, publish: Writing['publish']) {
  const rest = run.joint?.rest() ?? '';
  const last: RunEvent[] = rest === '' ? [] : run.thinking.measured([{ type: 'text', text: rest }]);
  const events = [...last, ...run.thinking.end()];
  if (events.length > 0) publish(events);
}

/** Removes what the model repeats when it continues an answer. */
function joined({ joint }: LiveRun, pieces: AnswerPiece[]): AnswerPiece[] {
  if (!joint) return pieces;
  return pieces.flatMap((piece) => {
    if (piece.type === 'text') {
      const text = joint.take(piece.text);
      return text === '' ? [] : [{ ...piece, text }];
    }
    // Marks a position in the text, so the text before it must be published first.
    const rest = piece.type === 'reasoning' || piece.type === 'note' ? '' : joint.rest();
    return rest === '' ? [piece] : [{ type: 'text', text: rest }, piece];
  });
}

/**
 * Turns function calls into client functions or connected tools. Without a client, an unknown function becomes a failed
 * tool call.
 */
function eventsOf(run: LiveRun, { loop }: PreparedRequest, pieces: AnswerPiece[]): RunEvent[] {
  return pieces.map((piece) => {
    if (piece.type !== 'tool') return piece;
    const call = loop && piece.call.kind === 'function' ? toServerCall(run, loop, piece.call) : piece.call;
    // Only for the provider, never published.
    if (piece.echo) run.echoes.set(call.callId, piece.echo);
    return { type: 'tool', call };
  });
}

function toServerCall(run: LiveRun, { offered, canAsk }: ToolLoop, call: ToolCall): ToolCall {
  if (!canAsk && !offered.some((tool) => tool.name === call.name)) return call;
  const taken = new Set(run.log.calls.slice(0, run.since.calls).map(({ callId }) => callId));
  return asServerCall(call, offered, run.step, taken);
}

/** Shown instead of an answer without text. */
const wordless = ({ reason }: AnswerEnd): RunEvent => ({ type: 'note', text: wordlessNotes[reason] });
const wordlessNotes: Record<AnswerEnd['reason'], string> = {
  complete: 'The model stopped without writing an answer. Ask for a new one, or rephrase the question.',
  length: 'The model reached its limit before it wrote anything. Ask for a new answer, or use less reasoning.',
  content_filter: 'The provider’s content filter blocked the whole answer. Rephrase the question.',
};
