import { estimatePiece } from '#server/conversation/token-estimate';
import { type ChatPiece, createChatReader } from '#server/provider/chat-completions/reader';
import { findTier } from '#server/provider/token-counts';
import type { Secret } from '#server/security/secret';
import type { Ending, NumberedReader } from './answer-reader.ts';
import { echoItem } from './call-echo.ts';
import { type EventWriter, eventWriter } from './events.ts';
import { newItemId } from './items.ts';
import type { ResponseObject } from './response-object.ts';

const incomplete = { length: 'max_output_tokens', content_filter: 'content_filter', complete: undefined } as const;

/** The base64 data of an image, as an item of a response. */
const pictureItem = (address: string) => ({
  id: newItemId('image_generation_call'),
  type: 'image_generation_call',
  status: 'completed',
  result: address.slice(address.indexOf(',') + 1),
});

/** Writes the pieces of an answer as events of a response. */
function pieceWriter(writer: EventWriter) {
  const calls = new Map<number, (delta: string) => void>();
  return (piece: ChatPiece) => {
    switch (piece.type) {
      case 'text':
        return writer.text('output_text', piece.text, piece.logprobs);
      case 'reasoning':
        return writer.text('reasoning_text', piece.text);
      case 'refusal':
        return writer.text('refusal', piece.text);
      case 'call':
        return void calls.set(piece.place, writer.call(piece.callId, piece.name));
      case 'arguments':
        return calls.get(piece.place)?.(piece.text);
      case 'image':
        return piece.address.startsWith('data:')
          ? writer.item(pictureItem(piece.address))
          : writer.link({ url: piece.address, title: 'Picture' });
      case 'link':
        return writer.link(piece);
    }
  };
}

/** Reads Chat Completions as events of a response. */
export function chatReader(base: ResponseObject, apiKey: Secret): NumberedReader {
  let frames = '';
  /** Estimated number of tokens. */
  let tokens = 0;
  let ending: Ending | undefined;
  const writer = eventWriter(base, (frame) => {
    frames += frame;
  });
  const write = pieceWriter(writer);
  const reader = createChatReader(apiKey, (piece) => {
    tokens += 'text' in piece ? estimatePiece(piece.text) : 1;
    write(piece);
  });
  writer.begin();

  function endIfWritten() {
    const ended = reader.ending();
    if (!ended || ending) return;
    const reason = incomplete[ended.reason];
    const [model, tier] = [reader.model(), reader.tier()];
    const echo = reason === undefined ? echoItem(reader.echo(), reader.calls()) : undefined;
    writer.close(reason !== undefined);
    if (echo) writer.item(echo);
    const cut = reason !== undefined && { incomplete_details: { reason } };
    const of = { ...(model !== '' && { model }), ...(tier !== '' && { service_tier: tier }), ...cut };
    ending = { status: cut ? 'incomplete' : 'completed', of, output: writer.output(), usage: ended.usage };
  }

  /** Text that was held back is sent if the answer breaks off. */
  function reading(read: () => void) {
    try {
      read();
    } catch (error) {
      reader.release();
      throw error;
    }
    endIfWritten();
  }

  return {
    event: (_name, data) => reading(() => reader.event(data)),
    whole: (json) => reading(() => reader.whole(json)),
    closed() {
      reading(reader.closed);
      if (!ending) reader.release();
    },
    taken() {
      const taken = frames;
      frames = '';
      return taken;
    },
    ending: () => ending,
    soFar: () => ({ output: writer.output(), deltas: tokens, tier: findTier({ service_tier: reader.tier() }) }),
    nextNumber: writer.nextNumber,
  };
}
