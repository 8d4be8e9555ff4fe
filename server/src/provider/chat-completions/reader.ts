import { createHash } from 'node:crypto';
import type { WebLink } from '@roster/contracts/text/web-links';
import { parseExact } from '#server/lib/exact-json';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { AnswerEnd } from '#server/provider/provider';
import { findUsage } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { isErrorValue } from '#server/provider/transport/error-fields';
import { notAnAnswer } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import { masked } from '#server/provider/transport/masking';
import { createReasoningSplitter } from '#server/provider/transport/think-tags';
import type { Secret } from '#server/security/secret';
import { readDelta } from './delta.ts';
import { createEchoCollector } from './echo.ts';
import { createSourceCollector } from './sources.ts';
import { createCallCollector, hasObjectArguments } from './tool-calls.ts';

type Finish = AnswerEnd['reason'] | 'failed' | 'unknown';

/** OpenAI's words, and those of servers with their own. */
const finishReasons: [Finish, string[]][] = [
  ['complete', ['stop', 'eos', 'eos_token', 'stop_sequence', 'end_turn', 'tool_calls', 'tool_use', 'function_call']],
  ['length', ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded']],
  ['content_filter', ['content_filter', 'safety', 'recitation', 'sensitive', 'refusal', 'prohibited_content']],
];
const isFailure = /error|fail|abort|cancel|insufficient|interrupt|overload|time.?out|unavailable|malformed/;

/** The meaning of a `finish_reason`; undefined: the answer has not ended. */
function parseFinishReason(reason: unknown): Finish | undefined {
  if (typeof reason !== 'string') return undefined;
  const word = reason.trim().toLowerCase();
  if (word === '' || word === 'null') return undefined;
  const [finish] = finishReasons.find(([, words]) => words.includes(word)) ?? [];
  return finish ?? (isFailure.test(word) ? 'failed' : 'unknown');
}

/** The parts of an answer, in order of arrival. */
export type ChatPiece =
  | { type: 'text'; text: string; logprobs: readonly unknown[] }
  | { type: 'reasoning' | 'refusal'; text: string }
  /** A function call starts; its arguments follow under the same `place`. */
  | { type: 'call'; place: number; callId: string; name: string }
  | { type: 'arguments'; place: number; text: string }
  /** An image by the model: its data or its URL. */
  | { type: 'image'; address: string }
  /** A web page that the answer cites. */
  | ({ type: 'link' } & WebLink);

type ChatEnding = {
  reason: AnswerEnd['reason'];
  /** The provider's own word if Roster does not know it. */
  unknownWord: string | undefined;
  /** null: not reported by the provider. */
  usage: TokenCounts | null;
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The calls in a piece of an answer; servers that support a single call use their own field. */
const callsIn = ({ tool_calls: calls, function_call: only }: JsonObject) =>
  Array.isArray(calls) ? calls : isObject(only) ? [{ index: 0, function: only }] : [];

/** Parses an event or a whole answer. Unparsable JSON may have contained text, so it fails the answer visibly. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw notAnAnswer(cause);
  }
}

/** The same calls with exact number digits; `at`: the index of their choice. */
function exactCalls(json: string, at: number): readonly unknown[] | undefined {
  const event = parseExact(json);
  const choice = isObject(event) ? list(event.choices)[at] : undefined;
  const delta = isObject(choice) ? (isObject(choice.delta) ? choice.delta : choice.message) : undefined;
  return isObject(delta) ? callsIn(delta) : undefined;
}

const endedWith = (word: string) => `It ended the answer early, with “${word}”.`;

const brokeOff = () =>
  new ProviderError('provider_broke_off', 'The provider disconnected before the answer was complete.');

/**
 * Reads a Chat Completions answer, streamed or whole, in the dialects of many servers. It ends only when the server
 * says so.
 *
 * Long: every field of an event adds to the same answer.
 */
export function createChatReader(apiKey: Secret, tell: (piece: ChatPiece) => void) {
  let hasChoice = false;
  /** Only the first of several choices is read. */
  let index: unknown;
  let model = '';
  let usage: TokenCounts | null = null;
  let tier = '';
  let finish: { as: Finish; word: string } | undefined;
  /** More arrived after a finish reason, so it was not the end. */
  let hasGoneOn = false;
  let hasText = false;
  let logprobs: unknown[] = [];
  let ending: ChatEnding | undefined;
  const pictures = new Set<string>();

  function say(piece: ChatPiece) {
    hasText = true;
    hasGoneOn = finish !== undefined;
    tell(piece);
  }
  const thoughts = createReasoningSplitter((type, text) => {
    if (type === 'reasoning') return say({ type, text });
    say({ type, text, logprobs });
    logprobs = [];
  });
  const sources = createSourceCollector((link) => tell({ type: 'link', ...link }));
  const echo = createEchoCollector();
  const calls = createCallCollector({
    call: (place, callId, name) => say({ type: 'call', place, callId, name }),
    arguments: (place, text) => say({ type: 'arguments', place, text }),
  });
  const sink = {
    text: (text: string) => {
      if (text !== '') thoughts.add(text);
    },
    reasoning: (text: string) => say({ type: 'reasoning', text }),
    refusal: (text: string) => {
      if (text !== '') say({ type: 'refusal', text });
    },
    image: (address: string) => {
      const digest = createHash('sha256').update(address).digest('base64');
      if (pictures.has(digest)) return;
      pictures.add(digest);
      say({ type: 'image', address });
    },
  };

  function addDelta(delta: JsonObject, exact: () => readonly unknown[] | undefined) {
    readDelta(delta, sink);
    echo.add(delta);
    sources.add(delta);
    const pieces = callsIn(delta);
    if (pieces.length === 0) return;
    calls.add((hasObjectArguments(pieces) ? exact() : undefined) ?? pieces);
  }

  function addChoice(choice: JsonObject, exact: () => readonly unknown[] | undefined) {
    if (isObject(choice.logprobs)) logprobs.push(...list(choice.logprobs.content));
    // A whole answer has `message` in place of deltas; some servers repeat it at the end of a stream.
    const message = hasText ? undefined : choice.message;
    const delta = isObject(choice.delta) ? choice.delta : message;
    if (isObject(delta)) addDelta(delta, exact);
    const as = parseFinishReason(choice.finish_reason);
    if (!as || finish?.as === 'failed') return;
    finish = { as, word: String(choice.finish_reason) };
    hasGoneOn = false;
  }

  function addChunk(chunk: JsonObject, json: string) {
    if (model === '' && typeof chunk.model === 'string') model = chunk.model;
    sources.add(chunk);
    const choices = list(chunk.choices);
    const at = choices.findIndex((one) => isObject(one) && (!hasChoice || (one.index ?? 0) === index));
    const choice = choices[at];
    if (isObject(choice)) {
      hasChoice = true;
      index = choice.index ?? 0;
      addChoice(choice, () => exactCalls(json, at));
    }
    usage = findUsage(chunk) ?? usage;
    if (typeof chunk.service_tier === 'string') tier = chunk.service_tier;
  }

  function addValue(value: unknown, json: string) {
    if (isErrorValue(value)) throw toStreamError(value, apiKey);
    if (isObject(value)) addChunk(value, json);
    else if (Array.isArray(value)) for (const one of value) addValue(one, json);
    else if (typeof value === 'string') throw notAnAnswer();
  }

  function end() {
    thoughts.end();
    sources.end();
    if (!finish) throw brokeOff();
    if (finish.as === 'failed') throw toStreamError({ error: endedWith(finish.word) }, apiKey);
    calls.end();
    const { as, word } = finish;
    const isUnknown = as === 'unknown';
    ending = {
      reason: isUnknown ? 'complete' : as,
      unknownWord: isUnknown ? masked(word, apiKey, 100) : undefined,
      usage,
    };
  }

  return {
    /** Reads one event of a stream. @throws ProviderError */
    event(data: string) {
      if (ending) return;
      if (data.trim() === '[DONE]') return end();
      addValue(parsed(data), data);
    },
    /** Reads an answer that came whole instead of as a stream. @throws ProviderError */
    whole(json: string) {
      const value = parsed(json);
      addValue(value, json);
      if (!hasChoice) throw notAnAnswer();
      finish ??= { as: 'complete', word: '' };
      end();
    },
    /**
     * The stream closed without an end event. The answer counts as complete if a finish reason has arrived; otherwise
     * there is no ending.
     */
    closed() {
      if (!ending && finish && !hasGoneOn) end();
    },
    /** Delivers text held back for tag detection, after the answer broke off. */
    release() {
      thoughts.end();
      sources.end();
    },
    ending: () => ending,
    model: () => model,
    /** The service tier that answered, in the provider's word. */
    tier: () => tier,
    calls: calls.all,
    /** Fields to send back with the calls. */
    echo: echo.fields,
    /** The size of what is held until the end, in UTF-16 units. */
    heldLength: () => calls.length() + echo.length(),
  };
}
