import { isObject, type JsonObject } from '#server/is-object';
import type { TokenCounts } from '#server/provider/catalogue';
import { eventJson, notAnAnswer } from '#server/provider/event-reader';
import { failureInStream } from '#server/provider/failures';
import { usageIn } from '#server/provider/token-counts';
import type { Secret } from '#server/security/secret';
import type { Ending, NumberedReader } from './answer-reader.ts';
import { eventWriter } from './events.ts';
import { newItemId } from './items.ts';
import type { ResponseObject } from './response-object.ts';

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const list = (value: unknown) => (Array.isArray(value) ? value : []);

type OpenCall = { id: string; add: (delta: string) => void };

const incomplete = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

/**
 * Reads Chat Completions as the events of a response.
 *
 * Long: each piece of a chunk adds to the same answer.
 */
export function chatReader(base: ResponseObject, apiKey: Secret): NumberedReader {
  let frames = '';
  let deltas = 0;
  let finish: string | undefined;
  let isDone = false;
  let usage: TokenCounts | null = null;
  let model: unknown;
  let tier: unknown;
  const calls = new Map<number, OpenCall>();
  const writer = eventWriter(base, (frame) => {
    frames += frame;
  });
  writer.begin();

  function addCall(value: unknown, position: number) {
    if (!isObject(value)) return;
    const index = typeof value.index === 'number' ? value.index : position;
    const of = isObject(value.function) ? value.function : {};
    const id = text(value.id);
    let call = calls.get(index);
    // Some servers give every call the same place.
    if (!call || (id !== '' && id !== call.id && text(of.name) !== '')) {
      const callId = id || newItemId('call');
      call = { id: callId, add: writer.call(callId, text(of.name)) };
      calls.set(index, call);
    }
    if (text(of.arguments) !== '') call.add(text(of.arguments));
  }

  function addDelta(delta: JsonObject, logprobs: unknown) {
    deltas++;
    const thought = text(delta.reasoning_content) || text(delta.reasoning);
    if (thought !== '') writer.text('reasoning_text', thought);
    if (text(delta.content) !== '')
      writer.text('output_text', text(delta.content), list(isObject(logprobs) ? logprobs.content : undefined));
    if (text(delta.refusal) !== '') writer.text('refusal', text(delta.refusal));
    for (const [position, call] of list(delta.tool_calls).entries()) addCall(call, position);
  }

  function addChunk(chunk: JsonObject) {
    if (chunk.error) throw failureInStream(chunk, apiKey);
    usage = usageIn(chunk) ?? usage;
    model ??= chunk.model;
    tier = chunk.service_tier ?? tier;
    const choice: unknown = list(chunk.choices).find((one) => isObject(one) && (one.index ?? 0) === 0);
    if (!isObject(choice)) return;
    // An answer that came at once has the message in the place of its pieces.
    const delta = isObject(choice.delta) ? choice.delta : choice.message;
    if (isObject(delta)) addDelta(delta, choice.logprobs);
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
  }

  function ending(): Ending | undefined {
    if (!isDone) return undefined;
    const reason = incomplete.get(finish ?? '');
    return {
      status: reason === undefined ? 'completed' : 'incomplete',
      of: {
        ...(typeof model === 'string' && model !== '' && { model }),
        ...(typeof tier === 'string' && { service_tier: tier }),
        ...(reason !== undefined && { incomplete_details: { reason } }),
      },
      output: writer.output(),
      usage,
    };
  }

  function end() {
    if (isDone) return;
    writer.close(incomplete.has(finish ?? ''));
    isDone = true;
  }

  return {
    event(_name, data) {
      if (data === '[DONE]') end();
      else addChunk(eventJson(data));
    },
    whole(answer) {
      addChunk(answer);
      if (list(answer.choices).length === 0) throw notAnAnswer();
      end();
    },
    // Some servers close without `[DONE]`; what they said is whole once a reason to finish has come.
    closed() {
      if (finish !== undefined) end();
    },
    taken() {
      const taken = frames;
      frames = '';
      return taken;
    },
    ending,
    soFar: () => ({ output: writer.output(), deltas }),
    nextNumber: writer.nextNumber,
  };
}
