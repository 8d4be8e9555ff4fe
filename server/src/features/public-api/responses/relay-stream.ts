import { estimatePiece } from '#server/conversation/token-estimate';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { findTier, parseUsage } from '#server/provider/token-counts';
import { eventJson, notAnAnswer } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import { createTextKeyDetector, maskKeyInResponse, maskKeyInResponsesEvent } from '#server/provider/transport/masking';
import type { Secret } from '#server/security/secret';
import type { Ending, NumberedReader } from './answer-reader.ts';
import { eventFrame, eventWriter } from './events.ts';
import { createEventRenamer, type RenameFile, renameFilesInItem } from './item-files.ts';
import { type StoredItem, toOutputItem } from './items.ts';
import { type ResponseObject, toClientResponse } from './response-object.ts';

const endings = new Map<string, Ending['status']>([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
]);
const beginnings = new Set(['response.created', 'response.in_progress', 'response.queued']);

/**
 * Relays the events of a provider's Responses. Only events that carry the whole response or name files are rewritten,
 * with Roster's names, and the last one is held back.
 */
export function relayReader(base: ResponseObject, naming: RenameFile | undefined, apiKey: Secret): NumberedReader {
  const renamedEvent = naming && createEventRenamer(naming);
  const items = new Map<number, StoredItem>();
  const mayHoldKey = createTextKeyDetector(apiKey);
  let frames = '';
  let number = 0;
  /** Number of events left out. */
  let missing = 0;
  /** Estimated number of tokens in deltas. */
  let tokens = 0;
  let tier: string | null = null;
  let ending: Ending | undefined;

  const output = () => [...items.keys()].sort((one, other) => one - other).flatMap((index) => items.get(index) ?? []);

  function kept(all: unknown): StoredItem[] {
    const its = Array.isArray(all) ? all.flatMap((one) => toOutputItem(one) ?? []) : [];
    return naming ? its.map((item) => renameFilesInItem(item, naming)) : its;
  }

  function rewritten(type: string, event: JsonObject) {
    tier = findTier(event.response);
    const response = toClientResponse(base, isObject(event.response) ? event.response : {}, 'in_progress', []);
    frames += eventFrame(type, JSON.stringify({ ...event, type, response }));
  }

  /** Moves up events that follow one left out. */
  function numbered(event: JsonObject): string {
    const { sequence_number: at } = event;
    return JSON.stringify({ ...event, ...(typeof at === 'number' && { sequence_number: at - missing }) });
  }

  function passOn(type: string, event: JsonObject, data: string) {
    const shown = renamedEvent ? renamedEvent(type, event) : event;
    if (!shown) return void missing++;
    if (type === 'response.output_item.done') itemDone(shown);
    if (type.endsWith('.delta')) tokens += estimatePiece(event.delta);
    if (shown !== event || missing > 0) frames += eventFrame(type, numbered(shown));
    // An event in several lines is still one line of JSON.
    else frames += eventFrame(type, data.includes('\n') ? data.replaceAll('\n', ' ') : data);
  }

  function itemDone({ item, output_index: index }: JsonObject) {
    const one = toOutputItem(item);
    if (one) items.set(typeof index === 'number' ? index : items.size, one);
  }

  function end(status: Ending['status'], of: unknown) {
    const response = isObject(of) ? of : {};
    const all = kept(response.output);
    ending = { status, of: response, output: all.length > 0 ? all : output(), usage: parseUsage(response.usage) };
  }

  return {
    event(name, given) {
      const data = given.includes('error') || mayHoldKey(given) ? maskKeyInResponsesEvent(given, apiKey) : given;
      const event = eventJson(data);
      const type = name ?? String(event.type);
      if (typeof event.sequence_number === 'number') number = event.sequence_number;
      const status = endings.get(type);
      // These two are sent in Roster's words, with their original number.
      if (status) return end(status, event.response);
      if (type === 'error') throw toStreamError(event, apiKey);
      number++;
      if (beginnings.has(type)) return rewritten(type, event);
      passOn(type, event, data);
    },
    // Also if events were requested: the client gets what there is.
    whole(json) {
      const answer = maskKeyInResponse(eventJson(json), apiKey);
      const { status = 'completed', error, output: items } = answer;
      if (error && status !== 'failed') throw toStreamError(answer, apiKey);
      const ended = endings.get(`response.${status}`);
      if (!ended || (ended !== 'failed' && !Array.isArray(items))) throw notAnAnswer();
      const writer = eventWriter(base, (frame) => {
        frames += frame;
      });
      writer.begin();
      for (const item of kept(items)) writer.item(item);
      number = writer.nextNumber();
      end(ended, answer);
    },
    taken() {
      const taken = frames;
      frames = '';
      return taken;
    },
    ending: () => ending,
    soFar: () => ({ output: output(), deltas: tokens, tier }),
    nextNumber: () => number - missing,
  };
}
