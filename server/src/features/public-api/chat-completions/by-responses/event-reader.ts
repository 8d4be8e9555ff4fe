import type { AnswerReader, Ending } from '#server/features/public-api/responses/answer-reader';
import { type StoredItem, toOutputItem } from '#server/features/public-api/responses/items';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import { findTier, parseUsage } from '#server/provider/token-counts';
import { eventJson, notAnAnswer } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import type { Secret } from '#server/security/secret';
import type { ChunkWriter } from './chunk-writer.ts';

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const endings = new Map<string, Ending['status']>([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
]);

/** Key of a content part: the index of its item, and its own. */
const partOf = (at: number, index: unknown) => `${at} ${typeof index === 'number' ? index : 0}`;

/** Used if no deltas have come. */
function writeArguments(writer: ChunkWriter, at: number, all: unknown) {
  if (writer.argumentsOf(at) === '') writer.arguments(at, text(all));
}

/** Some servers send a part of an item, or all of it, only when it is finished. */
function writeRest(writer: ChunkWriter, at: number, item: StoredItem) {
  if (item.type === 'function_call') {
    writer.call(at, item.call_id, item.name);
    writeArguments(writer, at, item.arguments);
  }
  if (item.type !== 'message') return;
  for (const [index, one] of list(item.content).entries()) {
    if (!isObject(one)) continue;
    const part = partOf(at, index);
    if (one.type === 'refusal' && !writer.hasRefusal()) writer.refusal(text(one.refusal));
    if (one.type !== 'output_text') continue;
    if (!writer.hasPart(part)) writer.text(part, text(one.text));
    for (const annotation of list(one.annotations)) writer.link(part, annotation);
  }
}

/** Handles the events of an answer in progress. */
function writePiece(writer: ChunkWriter, type: string, at: number, event: JsonObject) {
  const part = partOf(at, event.content_index);
  switch (type) {
    case 'response.output_text.delta':
      return writer.text(part, text(event.delta));
    case 'response.output_text.done':
      if (!writer.hasPart(part)) writer.text(part, text(event.text));
      return;
    case 'response.refusal.delta':
      return writer.refusal(text(event.delta));
    case 'response.output_text.annotation.added':
      return writer.link(part, event.annotation);
    case 'response.output_item.added': {
      const { item } = event;
      if (isObject(item) && item.type === 'function_call') writer.call(at, item.call_id, item.name);
      return;
    }
    case 'response.function_call_arguments.delta':
      return writer.arguments(at, text(event.delta));
    case 'response.function_call_arguments.done':
      return writeArguments(writer, at, event.arguments);
  }
}

/** Output index of an item, also for servers that only send item ids. */
function placing() {
  const places = new Map<string, number>();
  return ({ output_index: index, item_id: id, item }: JsonObject): number => {
    if (typeof index === 'number') return index;
    const name = text(id) || (isObject(item) ? text(item.id) : '');
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
}

/** Reports the usage after a failure too. */
type ResponseEventReader = AnswerReader & { usage: () => TokenCounts | null; tier: () => string | null };

/** Reads the events of a response and writes them as chunks. */
export function responseEventReader(writer: ChunkWriter, apiKey: Secret): ResponseEventReader {
  const items: StoredItem[] = [];
  const placeIn = placing();
  let ending: Ending | undefined;
  let usage: TokenCounts | null = null;
  let tier: string | null = null;

  function itemDone(at: number, given: unknown) {
    const item = toOutputItem(given);
    if (!item) return;
    items.push(item);
    writeRest(writer, at, item);
  }

  function end(status: Ending['status'], of: unknown) {
    const response = isObject(of) ? of : {};
    // Some servers send only this event.
    if (items.length === 0) for (const [index, item] of list(response.output).entries()) itemDone(index, item);
    ending = { status, of: response, output: items, usage };
  }

  return {
    event(name, data) {
      const event = eventJson(data);
      const type = name ?? text(event.type);
      if (isObject(event.response)) {
        writer.named(event.response.model);
        usage = parseUsage(event.response.usage);
        tier = findTier(event.response);
        writer.servedBy(event.response.service_tier);
      }
      const status = endings.get(type);
      if (status) return end(status, event.response);
      if (type === 'response.failed') throw toStreamError(event.response, apiKey);
      if (type === 'error') throw toStreamError(event, apiKey);
      const at = placeIn(event);
      if (type === 'response.output_item.done') return itemDone(at, event.item);
      writePiece(writer, type, at, event);
    },
    whole(json) {
      const answer = eventJson(json);
      const { status = 'completed', error, output } = answer;
      if (error) throw toStreamError(answer, apiKey);
      const ended = endings.get(`response.${status}`);
      if (!ended || !Array.isArray(output)) throw notAnAnswer();
      writer.named(answer.model);
      usage = parseUsage(answer.usage);
      tier = findTier(answer);
      writer.servedBy(answer.service_tier);
      end(ended, answer);
    },
    taken: writer.taken,
    ending: () => ending,
    usage: () => usage,
    tier: () => tier,
    soFar: () => ({ output: items, deltas: writer.tokens() }),
  };
}

/** Why an answer is truncated; undefined if it is complete. */
export function truncationReason(ending: Ending | undefined): 'length' | 'content_filter' | undefined {
  if (ending?.status !== 'incomplete') return undefined;
  const { incomplete_details: details } = ending.of;
  return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
}
