import { createHash } from 'node:crypto';
import type { WebLink } from '@roster/contracts/text/web-links';
import { parseExact } from '#server/lib/exact-json';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { AnswerEnd } from '#server/provider/provider';
import { usageIn } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { isErrorValue } from '#server/provider/transport/error-fields';
import { notAnAnswer } from '#server/provider/transport/event-reader';
import { failureInStream } from '#server/provider/transport/failures';
import { masked } from '#server/provider/transport/masking';
import { thoughtSplitter } from '#server/provider/transport/think-tags';
import type { Secret } from '#server/security/secret';
import { readDelta } from './delta.ts';
import { echoCollector } from './echo.ts';
import { type Finish, finishOf } from './finish-reasons.ts';
import { sourceCollector } from './sources.ts';
import { callCollector, hasObjectArguments } from './tool-calls.ts';

/** What an answer consists of, in the order in which it comes. */
export type ChatPiece =
  | { type: 'text'; text: string; logprobs: readonly unknown[] }
  | { type: 'reasoning' | 'refusal'; text: string }
  /** The call of a function begins; its arguments follow under the same place. */
  | { type: 'call'; place: number; callId: string; name: string }
  | { type: 'arguments'; place: number; text: string }
  /** A picture that the model has made: its data, or its address. */
  | { type: 'image'; address: string }
  /** A page of the web that the answer is taken from. */
  | ({ type: 'link' } & WebLink);

export type ChatEnding = {
  reason: AnswerEnd['reason'];
  /** The provider's own word for it, where Roster does not know it. */
  unknownWord: string | undefined;
  /** null: the provider did not say. */
  usage: TokenCounts | null;
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The calls in a piece of an answer; servers that know one call only have a field of its own for it. */
const callsIn = ({ tool_calls: calls, function_call: only }: JsonObject) =>
  Array.isArray(calls) ? calls : isObject(only) ? [{ index: 0, function: only }] : [];

/** The JSON of an event, or of a whole answer. What cannot be read may have held words, so it ends the answer visibly. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw notAnAnswer(cause);
  }
}

/** The same calls with the digits of their numbers; `at`: the place of their choice. */
function exactCalls(json: string, at: number): readonly unknown[] | undefined {
  const event = parseExact(json);
  const choice = isObject(event) ? list(event.choices)[at] : undefined;
  const delta = isObject(choice) ? (isObject(choice.delta) ? choice.delta : choice.message) : undefined;
  return isObject(delta) ? callsIn(delta) : undefined;
}

const endedWith = (word: string) => `It ended the answer early, with “${word}”.`;

const brokeOff = () =>
  new ProviderError('provider_broke_off', 'The provider broke off before the answer was complete.');

/**
 * Reads an answer of Chat Completions, in events or whole, as the many servers that have them write it. It has ended only where the
 * server said so.
 *
 * Long: every field of an event adds to the same answer.
 */
export function chatAnswerReader(apiKey: Secret, tell: (piece: ChatPiece) => void) {
  let hasChoice = false;
  /** Only the first of several answers is read. */
  let index: unknown;
  let model = '';
  let usage: TokenCounts | null = null;
  let tier = '';
  let finish: { as: Finish; word: string } | undefined;
  /** More has come since the finish: it was none. */
  let hasGoneOn = false;
  let hasSaid = false;
  let logprobs: unknown[] = [];
  let ending: ChatEnding | undefined;
  const pictures = new Set<string>();

  function say(piece: ChatPiece) {
    hasSaid = true;
    hasGoneOn = finish !== undefined;
    tell(piece);
  }
  const thoughts = thoughtSplitter((type, text) => {
    if (type === 'reasoning') return say({ type, text });
    say({ type, text, logprobs });
    logprobs = [];
  });
  const sources = sourceCollector((link) => tell({ type: 'link', ...link }));
  const echo = echoCollector();
  const calls = callCollector({
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
    // An answer that came at once has the message in the place of its pieces; some servers repeat it at the end of them.
    const message = hasSaid ? undefined : choice.message;
    const delta = isObject(choice.delta) ? choice.delta : message;
    if (isObject(delta)) addDelta(delta, exact);
    const as = finishOf(choice.finish_reason);
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
    usage = usageIn(chunk) ?? usage;
    if (typeof chunk.service_tier === 'string') tier = chunk.service_tier;
  }

  function addValue(value: unknown, json: string) {
    if (isErrorValue(value)) throw failureInStream(value, apiKey);
    if (isObject(value)) addChunk(value, json);
    else if (Array.isArray(value)) for (const one of value) addValue(one, json);
    else if (typeof value === 'string') throw notAnAnswer();
  }

  function end() {
    thoughts.end();
    sources.end();
    if (!finish) throw brokeOff();
    if (finish.as === 'failed') throw failureInStream({ error: endedWith(finish.word) }, apiKey);
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
    /** One event of a stream. @throws ProviderError */
    event(data: string) {
      if (ending) return;
      if (data.trim() === '[DONE]') return end();
      addValue(parsed(data), data);
    },
    /** An answer that came whole in the place of a stream. @throws ProviderError */
    whole(json: string) {
      const value = parsed(json);
      addValue(value, json);
      if (!hasChoice) throw notAnAnswer();
      finish ??= { as: 'complete', word: '' };
      end();
    },
    /** The stream has ended without saying so. What has come is whole once a reason to finish has come; else there is no ending. */
    closed() {
      if (!ending && finish && !hasGoneOn) end();
    },
    /** Tells what is held back, where the answer broke off. */
    letGo() {
      thoughts.end();
      sources.end();
    },
    ending: () => ending,
    model: () => model,
    /** The service tier that answered, in the provider's word. */
    tier: () => tier,
    calls: calls.all,
    /** What has to be sent back with the calls. */
    echo: echo.fields,
    /** How much is held until the end, in UTF-16 units. */
    heldLength: () => calls.length() + echo.length(),
  };
}
