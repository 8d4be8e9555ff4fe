import type { ResponseState } from '@roster/contracts/public-api/responses';
import type { WebLink } from '@roster/contracts/text/web-links';
import type { JsonObject } from '#server/lib/is-object';
import { newItemId, type StoredItem, toOutputItem } from './items.ts';
import { type ResponseObject, toClientResponse } from './response-object.ts';

/** Formats an event for the wire. */
export const eventFrame = (type: string, data: string) => `event: ${type}\ndata: ${data}\n\n`;

/** End of a stream, as specified by Open Responses. */
export const done = 'data: [DONE]\n\n';

type TextKind = 'output_text' | 'refusal' | 'reasoning_text';
type OpenPart = { kind: TextKind; text: string; logprobs: unknown[]; annotations: JsonObject[] };
type Call = { index: number; item: StoredItem; given: string };

const partOf = ({ kind, text, logprobs, annotations }: OpenPart): JsonObject => {
  if (kind === 'refusal') return { type: kind, refusal: text };
  return kind === 'output_text'
    ? { type: kind, text, annotations: [...annotations], logprobs: [...logprobs] }
    : { type: kind, text };
};

/**
 * Writes the events of a response for a provider with another format, in the order that Responses have. One message or
 * reasoning item is open at a time; function calls stay open to the end, because their pieces may alternate.
 */
export function eventWriter(base: ResponseObject, send: (frames: string) => void) {
  let sequence = 0;
  const output: StoredItem[] = [];
  let open: { index: number; item: StoredItem; parts: JsonObject[]; part: OpenPart | undefined } | undefined;
  const calls: Call[] = [];

  function emit(type: string, fields: JsonObject) {
    send(eventFrame(type, JSON.stringify({ type, ...fields, sequence_number: sequence++ })));
  }

  function add(item: StoredItem): number {
    emit('response.output_item.added', { output_index: output.length, item });
    return output.push(item) - 1;
  }

  function finish(index: number, item: StoredItem) {
    output[index] = item;
    emit('response.output_item.done', { output_index: index, item });
  }

  function closePart() {
    if (!open?.part) return;
    const { part } = open;
    const place = { item_id: open.item.id, output_index: open.index, content_index: open.parts.length };
    const content = part.kind === 'refusal' ? { refusal: part.text } : { text: part.text };
    emit(`response.${part.kind}.done`, {
      ...place,
      ...content,
      ...(part.kind === 'output_text' && { logprobs: part.logprobs }),
    });
    emit('response.content_part.done', { ...place, part: partOf(part) });
    open.parts.push(partOf(part));
    open.part = undefined;
  }

  function closeItem(status: 'completed' | 'incomplete') {
    if (!open) return;
    closePart();
    finish(open.index, { ...open.item, status, content: open.parts });
    open = undefined;
  }

  /** Opens the item and part that a piece of text belongs to. */
  function openFor(kind: TextKind) {
    const type = kind === 'reasoning_text' ? 'reasoning' : 'message';
    if (open && open.item.type !== type) closeItem('completed');
    if (!open) {
      const of = type === 'message' ? { role: 'assistant', content: [] } : { summary: [], content: [] };
      const item: StoredItem = { id: newItemId(type), type, status: 'in_progress', ...of };
      open = { index: add(item), item, parts: [], part: undefined };
    }
    if (open.part && open.part.kind !== kind) closePart();
    const place = { item_id: open.item.id, output_index: open.index, content_index: open.parts.length };
    if (!open.part) {
      open.part = { kind, text: '', logprobs: [], annotations: [] };
      emit('response.content_part.added', { ...place, part: partOf(open.part) });
    }
    return { part: open.part, place };
  }

  return {
    begin() {
      emit('response.created', { response: base });
      emit('response.in_progress', { response: base });
    },
    text(kind: TextKind, delta: string, logprobs: readonly unknown[] = []) {
      const { part, place } = openFor(kind);
      part.text += delta;
      part.logprobs.push(...logprobs);
      emit(`response.${kind}.delta`, { ...place, delta, ...(kind === 'output_text' && { logprobs }) });
    },
    /** A page that the preceding text is taken from. */
    link({ url, title }: WebLink) {
      if (open?.part?.kind !== 'output_text') return;
      const { part, item, index, parts } = open;
      const { length } = part.text;
      const annotation = { type: 'url_citation', url, title, start_index: length, end_index: length };
      const annotation_index = part.annotations.push(annotation) - 1;
      const place = { item_id: item.id, output_index: index, content_index: parts.length };
      emit('response.output_text.annotation.added', { ...place, annotation_index, annotation });
    },
    /** Starts a call. The returned function appends to its arguments. */
    call(callId: string, name: string): (delta: string) => void {
      closeItem('completed');
      const type = 'function_call';
      const item: StoredItem = {
        id: newItemId(type),
        type,
        status: 'in_progress',
        call_id: callId,
        name,
        arguments: '',
      };
      const call: Call = { index: add(item), item, given: '' };
      calls.push(call);
      return (delta) => {
        call.given += delta;
        const place = { item_id: item.id, output_index: call.index };
        emit('response.function_call_arguments.delta', { ...place, delta });
      };
    },
    /** An item that arrived complete. */
    item(value: unknown) {
      closeItem('completed');
      const item = toOutputItem(value);
      if (item) finish(add(item), item);
    },
    /** Ends open items. `isCut`: the model was stopped midway. */
    close(isCut: boolean) {
      const cutCall = isCut && !open ? calls.at(-1) : undefined;
      closeItem(isCut ? 'incomplete' : 'completed');
      for (const call of calls) {
        const place = { item_id: call.item.id, output_index: call.index };
        const { name } = call.item;
        emit('response.function_call_arguments.done', { ...place, name, arguments: call.given });
        const status = call === cutCall ? 'incomplete' : 'completed';
        finish(call.index, { ...call.item, arguments: call.given, status });
      }
    },
    output: () => output,
    /** The response with its output so far. */
    response: (of: JsonObject, status: ResponseState): ResponseObject => toClientResponse(base, of, status, output),
    last: (response: ResponseObject) => endFrame(response, sequence),
    nextNumber: () => sequence,
  };
}

export type EventWriter = ReturnType<typeof eventWriter>;

/** Final event of a response. */
export function endFrame(response: ResponseObject, sequence: number): string {
  const type = `response.${response.status === 'cancelled' ? 'failed' : response.status}`;
  return eventFrame(type, JSON.stringify({ type, response, sequence_number: sequence }));
}

/** Event for a failure, in the words of both specifications. */
export function errorFrame(
  error: { message: string; type: string; code: string | null; param: string | null },
  sequence: number,
) {
  const { message, code, param } = error;
  return eventFrame('error', JSON.stringify({ type: 'error', code, message, param, error, sequence_number: sequence }));
}
