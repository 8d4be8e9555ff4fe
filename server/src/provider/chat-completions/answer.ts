import { createCallReader } from '#server/provider/answer-tools';
import type { AnswerEnd, AnswerPiece, AnswerRequest, CallEcho } from '#server/provider/provider';
import { generatedFileReader } from '#server/provider/resources/generated-files';
import type { OmittedFields } from '#server/provider/responses/answer';
import { findTier } from '#server/provider/token-counts';
import { readEvents } from '#server/provider/transport/event-reader';
import type { ProviderHttp } from '#server/provider/transport/http';
import { collectStream, reportWaits } from '#server/provider/transport/stream-collector';
import { createLinkReader, isWebAddress } from '#server/provider/web-links';
import { type ChatPiece, createChatReader } from './reader.ts';
import { requestBody } from './request.ts';

const notKept = 'The model sent a picture in a form that Roster does not keep.';

/** Converts what is read from an answer into its pieces. */
function pieceWriter({ onMade }: AnswerRequest, onPieces: (pieces: AnswerPiece[]) => void) {
  const pieces = collectStream(onPieces);
  const made = generatedFileReader({
    tell: (file) => onMade?.(file),
    tooMany: (note) => pieces.add('note', note),
  });
  const link = createLinkReader(pieces.addLink);
  const citationOf = (url: string) => ({ type: 'url_citation', url, title: 'Picture', start_index: 0, end_index: 0 });
  function write(piece: ChatPiece) {
    switch (piece.type) {
      case 'text':
      case 'refusal':
        return pieces.add('text', piece.text);
      case 'reasoning':
        return pieces.add('reasoning', piece.text);
      case 'link':
        return pieces.addLink(piece);
      case 'image':
        if (made.shown(piece.address)) return;
        // Roster fetches nothing from URLs that a model names.
        if (isWebAddress(piece.address)) link(citationOf(piece.address));
        else pieces.add('note', notKept);
        return;
    }
  }
  return { pieces, write };
}

/** Generates an answer through Chat Completions, for providers without Responses. @throws ProviderError */
export async function generateWithChatCompletions(
  http: ProviderHttp,
  request: AnswerRequest,
  omitted: OmittedFields,
  onPieces: (pieces: AnswerPiece[]) => void,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  const { apiKey, tools } = request;
  let hasWords = false;
  const { body } = await http.sendRequest({
    method: 'POST',
    path: '/chat/completions',
    apiKey,
    body: await requestBody(request, omitted),
    signal,
    awaitsWord: () => !hasWords,
    onWait: reportWaits(onPieces),
    onAsking: request.onAsking,
  });
  const { pieces, write } = pieceWriter(request, (some) => {
    hasWords = true;
    onPieces(some);
  });
  const reader = createChatReader(apiKey, write);
  let isCut = false;
  try {
    await readEvents(
      body,
      {
        onEvent: ({ data }) => reader.event(data),
        onWhole: reader.whole,
        onClosed: reader.closed,
        onPacket() {
          pieces.passOn();
          isCut ||= !reader.ending() && pieces.isTooLong(reader.heldLength());
        },
        isDone: () => isCut || reader.ending() !== undefined,
      },
      signal,
    );
  } finally {
    reader.release();
    pieces.passOn();
  }
  const ending = reader.ending();
  if (!ending) return { reason: 'length', usage: null };
  const { reason, unknownWord, usage } = ending;
  if (unknownWord !== undefined)
    pieces.add(
      'note',
      `The provider ended this answer with “${unknownWord}”, which Roster does not know. It may not be complete.`,
    );
  // Truncated calls are ignored.
  if (tools && reason === 'complete') takeCalls(reader, pieces.addCall);
  pieces.passOn();
  return { reason, usage, tier: findTier({ service_tier: reader.tier() }) };
}

/** Fields that the message must carry are attached to its first call. */
function takeCalls(
  { calls, echo }: Pick<ReturnType<typeof createChatReader>, 'calls' | 'echo'>,
  add: ReturnType<typeof collectStream>['addCall'],
) {
  let fields: CallEcho | undefined;
  const taking = createCallReader((call) => add(call, fields));
  for (const [index, { callId, name, input, extra }] of calls().entries()) {
    const message = index === 0 ? echo() : undefined;
    fields = message || extra ? { message, call: extra && { extra_content: extra } } : undefined;
    taking.take('function', { callId, name, input, output: null });
  }
}
