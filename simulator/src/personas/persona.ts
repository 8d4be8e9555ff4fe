import type { JsonObject } from '../http/fields.ts';

export type ErrorKind = 'wrong key' | 'no credit' | 'too long' | 'unknown model' | 'unknown path' | 'interrupted';

/** A provider's status and words for each kind of error. */
export type Words = { [Kind in ErrorKind]: readonly [status: number, message: string] };

/** A response that is not an answer. Text is sent as it is, anything else as JSON. */
export type Refusal = { status: number; body: unknown };

export type FunctionCall = { id: string; name: string; arguments: string };

/** The model's answer before a persona puts it on the wire. */
export type Reply = {
  id: string;
  created: number;
  model: string;
  thought: string;
  text: string;
  calls: readonly FunctionCall[];
  /** A data URL, or null. */
  picture: string | null;
  usage: { input: number; output: number; reasoning: number; cached: number };
  /** The request has `stream_options.include_usage`. */
  asksForUsage: boolean;
  /** Breaks off halfway, as the provider reports a failure inside a stream. */
  isInterrupted: boolean;
};

/** A provider that speaks the OpenAI HTTP API in a dialect of its own. */
export type Persona = {
  /** The value for `npm run demo -- --provider`. */
  id: string;
  name: string;
  /** Path of the base URL. */
  path: string;
  /** Headers that may carry the key. Empty: no key is needed. */
  keyHeaders: readonly ('authorization' | 'api-key' | 'x-api-key')[];
  model: string;
  /** The response to `GET /models`; null: the call is not served. */
  models: unknown;
  /** Rejects a request that the provider would not accept. */
  check?: (request: JsonObject) => Refusal | undefined;
  /** @param detail the model or path in question */
  error: (kind: ErrorKind, detail: string) => Refusal;
  /** Everything between the head of the response and its end; without it, every answer comes in one piece. */
  stream?: (reply: Reply) => Iterable<string>;
  /** The answer in one piece. */
  whole: (reply: Reply) => JsonObject;
};

export const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const done = 'data: [DONE]\n\n';

/** About eight characters each, never half of a surrogate pair. */
export const pieces = (text: string) => text.match(/[\s\S]{1,8}/gu) ?? [];

export const usageOf = ({ usage: { input, output, reasoning, cached } }: Reply) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

export const finishOf = ({ calls }: Reply) => (calls.length > 0 ? 'tool_calls' : 'stop');

/** One chunk of a stream with the fields that every provider sends. */
export const chunkOf = (
  { id, created, model }: Reply,
  delta: JsonObject,
  finish: string | null = null,
): JsonObject => ({
  id,
  object: 'chat.completion.chunk',
  created,
  model,
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const calledWhole = (calls: Reply['calls']) =>
  calls.map(({ id, name, arguments: input }) => ({ id, type: 'function', function: { name, arguments: input } }));

/** Calls with an index, the arguments in pieces. */
export function* callChunks(reply: Reply): Generator<JsonObject> {
  for (const [index, { id, name, arguments: input }] of reply.calls.entries()) {
    yield chunkOf(reply, {
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    });
    for (const piece of pieces(input))
      yield chunkOf(reply, { tool_calls: [{ index, function: { arguments: piece } }] });
  }
}

/** The first half of the text if the reply breaks off, otherwise all of it. */
export const spoken = ({ text, isInterrupted }: Reply) =>
  isInterrupted ? pieces(text).slice(0, Math.ceil(pieces(text).length / 2)) : pieces(text);

export function completion(reply: Reply, message: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const { id, created, model, text, calls } = reply;
  const toolCalls = calls.length > 0 && { tool_calls: calledWhole(calls) };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: calls.length > 0 ? null : text, ...toolCalls, ...message },
        finish_reason: finishOf(reply),
      },
    ],
    usage: usageOf(reply),
    ...more,
  };
}

export const modelList = (...ids: string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: 1_760_000_000, owned_by: 'persona' })),
});
