import type { AnswerReader, Ending } from '#server/features/openai-api/responses/answer-reader';
import { type KeptItem, outputItem } from '#server/features/openai-api/responses/items';
import { isObject, type JsonObject } from '#server/is-object';
import { eventJson, notAnAnswer } from '#server/provider/event-reader';
import { failureInStream } from '#server/provider/failures';
import { responsesUsage } from '#server/provider/responses';
import type { ChunkWriter } from './chunk-writer.ts';

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const placeOf = (value: unknown) => (typeof value === 'number' ? value : 0);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const errorOf = (value: unknown) => (isObject(value) && isObject(value.error) ? value.error : {});

const endings = new Map<string, Ending['status']>([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
]);

/** A part of the content by its place in the output. */
const partOf = (item: unknown, index: unknown) => `${placeOf(item)} ${placeOf(index)}`;

/** Some servers say a part of an item, or all of it, only when it is finished. */
function writeRest(writer: ChunkWriter, at: number, item: KeptItem) {
  if (item.type === 'function_call') {
    writer.call(at, item.call_id, item.name);
    if (writer.argumentsOf(at) === '') writer.arguments(at, text(item.arguments));
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

/** What is said while the answer is written. */
function writePiece(writer: ChunkWriter, type: string, event: JsonObject) {
  const at = placeOf(event.output_index);
  const part = partOf(at, event.content_index);
  switch (type) {
    case 'response.output_text.delta':
      return writer.text(part, text(event.delta));
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
  }
}

/** Reads the events of a response, of which `writer` makes chunks. */
export function responseEventReader(writer: ChunkWriter): AnswerReader {
  const items: KeptItem[] = [];
  let ending: Ending | undefined;

  function itemDone(at: number, given: unknown) {
    const item = outputItem(given);
    if (!item) return;
    items.push(item);
    writeRest(writer, at, item);
  }

  function end(status: Ending['status'], of: unknown) {
    const response = isObject(of) ? of : {};
    ending = { status, of: response, output: items, usage: responsesUsage(response.usage) };
  }

  return {
    event(name, data) {
      const event = eventJson(data);
      const type = name ?? text(event.type);
      if (isObject(event.response)) writer.named(event.response.model);
      const status = endings.get(type);
      if (status) return end(status, event.response);
      if (type === 'response.failed') throw failureInStream(errorOf(event.response));
      if (type === 'error') throw failureInStream(isObject(event.error) ? event.error : event);
      if (type === 'response.output_item.done') return itemDone(placeOf(event.output_index), event.item);
      writePiece(writer, type, event);
    },
    whole(answer) {
      const { status = 'completed', error, output } = answer;
      if (error) throw failureInStream(isObject(error) ? error : { message: error });
      const ended = endings.get(`response.${status}`);
      if (!ended || !Array.isArray(output)) throw notAnAnswer();
      writer.named(answer.model);
      for (const [index, item] of output.entries()) itemDone(index, item);
      end(ended, answer);
    },
    taken: writer.taken,
    ending: () => ending,
    soFar: () => ({ output: items, deltas: writer.deltas() }),
  };
}

/** Why an answer is not whole; undefined: it is. */
export function cutOf({ status, of }: Ending): 'length' | 'content_filter' | undefined {
  if (status !== 'incomplete') return undefined;
  const { incomplete_details: details } = of;
  return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
}
