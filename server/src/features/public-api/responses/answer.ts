import { estimateInputTokens } from '#server/features/public-api/shared/input-tokens';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import { apiError } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { ToolUse } from '#server/provider/provider';
import type { RelayedResponse } from '#server/provider/relay';
import { parseToolUses } from '#server/provider/responses/tools';
import { findTier } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { readEvents } from '#server/provider/transport/event-reader';
import type { AnswerReader, NumberedReader } from './answer-reader.ts';
import { CancelledError } from './background.ts';
import { chatReader } from './chat-events.ts';
import { done, endFrame, errorFrame } from './events.ts';
import type { RenameFile } from './item-files.ts';
import type { StoredItem } from './items.ts';
import { relayReader } from './relay-stream.ts';
import { type ResponseObject, toClientResponse, usageObject } from './response-object.ts';

/** How an answer ended. The client learns it once it is stored. */
export type Outcome = {
  response: ResponseObject;
  usage: TokenCounts | null;
  /** Estimated number of tokens. */
  events: number;
  /** Tools that the provider has run. */
  used: ToolUse[];
  /** Service tier that answered; null if it is the standard one or was not named. */
  tier: string | null;
  /** Cause of a broken answer, unless the provider's response says it. */
  failure: unknown;
  lastFrames: string;
};

export type ProviderAnswer = RelayedResponse & { speaks: 'responses' | 'chat' };

const maxCharacters = 64 * 1024 * 1024;
const tooLarge = () => new ProviderError('provider_unavailable', 'The provider’s answer is too large.');

/** Feeds the reader with everything that arrives. @throws ProviderError, or the signal's reason */
export async function pipeToReader(
  reader: AnswerReader,
  answered: ProviderAnswer,
  { send, signal }: { send: (frames: string) => void; signal: AbortSignal },
) {
  const tell = () => {
    const frames = reader.taken();
    if (frames !== '') send(frames);
  };
  let characters = 0;
  const reading = {
    onEvent({ event, data }: { event?: string | undefined; data: string }) {
      if (reader.ending()) return;
      characters += data.length;
      if (characters > maxCharacters) throw tooLarge();
      if (data !== '[DONE]' || answered.speaks === 'chat') reader.event(event, data);
    },
    onPacket: tell,
    isDone: () => reader.ending() !== undefined,
    onWhole: reader.whole,
    onClosed: () => reader.closed?.(),
  };
  await readEvents(answered.body, reading, signal);
}

/** Reads an answer to its end, whatever that is; events are passed to `send`. */
export async function readAnswer(
  answered: ProviderAnswer,
  base: ResponseObject,
  { send, signal, naming }: { send: (frames: string) => void; signal: AbortSignal; naming: RenameFile | undefined },
): Promise<Outcome> {
  const reader =
    answered.speaks === 'chat' ? chatReader(base, answered.apiKey) : relayReader(base, naming, answered.apiKey);
  try {
    await pipeToReader(reader, answered, { send, signal });
  } catch (failure) {
    // Initial events, if nothing else came.
    const frames = reader.taken();
    if (frames !== '') send(frames);
    return brokenOff(base, failure, reader, answered);
  }
  const ending = reader.ending();
  if (!ending) return brokenOff(base, new Error('The answer has no end'), reader, answered);
  const { status, of, output, usage } = ending;
  const counted = of.usage === undefined && usage ? { usage: usageObject(usage) } : {};
  const completed = status === 'completed' && of.completed_at == null ? { completed_at: seconds() } : {};
  const response = toClientResponse(base, { ...of, ...counted, ...completed }, status, output);
  const events = tokensIn(output, reader.soFar().deltas);
  const used = usedIn(answered, output);
  return {
    response,
    usage,
    events,
    used,
    tier: findTier(of),
    failure: undefined,
    lastFrames: endFrame(response, reader.nextNumber()) + done,
  };
}

/** A server that sends all text at once has few deltas, or none. */
const tokensIn = (output: StoredItem[], deltas: number) => Math.max(deltas, estimateInputTokens(output.map(written)));

/** Text that the model wrote in an item: names and states come from Roster or the provider. */
const written = ({ content, summary, arguments: args, input, code }: StoredItem) =>
  [content, summary]
    .flatMap((parts) => (Array.isArray(parts) ? parts.map(wordsOfPart) : []))
    .concat([args, input, code]);

const wordsOfPart = (part: unknown) => (isObject(part) ? (part.text ?? part.refusal) : undefined);

const seconds = () => Math.floor(Date.now() / 1000);

/** Unfinished items are not stored: the rest is unknown. */
const isFinished = ({ status }: StoredItem) => status !== 'in_progress';

/** The failure as part of the response. */
function responseError(failure: unknown): { code: string; message: string } {
  const { error } = apiError(asAppError(failure)).body;
  return { code: error.code === 'rate_limit_exceeded' ? error.code : 'server_error', message: error.message };
}

function asAppError(failure: unknown): AppError {
  const publicError = publicFailure(failure);
  return publicError instanceof AppError
    ? publicError
    : new AppError('internal', 'Something went wrong on the server. Please try again.');
}

/** Chat Completions run no tools: an image is part of the answer. */
const usedIn = ({ speaks }: ProviderAnswer, output: StoredItem[]) => (speaks === 'chat' ? [] : parseToolUses(output));

function brokenOff(base: ResponseObject, failure: unknown, reader: NumberedReader, answered: ProviderAnswer): Outcome {
  const soFar = reader.soFar();
  const output = soFar.output.filter(isFinished);
  const used = usedIn(answered, output);
  return failedOutcome(base, failure, { ...soFar, output, used, number: reader.nextNumber() });
}

/** Outcome of a broken answer. */
export function failedOutcome(
  base: ResponseObject,
  failure: unknown,
  {
    output,
    deltas,
    used = [],
    tier = null,
    number,
  }: { output: StoredItem[]; deltas: number; used?: ToolUse[]; tier?: string | null; number: number },
): Outcome {
  const soFar = { usage: null, events: tokensIn(output, deltas), used, tier, failure };
  if (failure instanceof CancelledError) {
    const response = toClientResponse(base, {}, 'cancelled', output);
    return { ...soFar, response, lastFrames: endFrame(response, number) + done };
  }
  const response = toClientResponse(base, { error: responseError(failure) }, 'failed', output);
  const { error } = apiError(asAppError(failure)).body;
  const lastFrames = errorFrame(error, number) + endFrame(response, number + 1) + done;
  return { ...soFar, response, lastFrames };
}
