import type { ServerResponse } from 'node:http';
import { type ProviderAnswer, pipeToReader } from '#server/features/public-api/responses/answer';
import { readResponseBody } from '#server/features/public-api/shared/read-response-body';
import { createWriter } from '#server/http/streaming/event-stream';
import type { JsonObject } from '#server/lib/is-object';
import type { RelayedResponse } from '#server/provider/relay';
import { parseToolUses } from '#server/provider/responses/tools';
import { notAnAnswer } from '#server/provider/transport/event-reader';
import { createKeyDetector, maskKeyInChat } from '#server/provider/transport/masking';
import { chunkWriter } from './by-responses/chunk-writer.ts';
import { responseEventReader, truncationReason } from './by-responses/event-reader.ts';
import { type Outcome, readCost, relayStream } from './relay-stream.ts';

/** A provider answer that has started. */
export type Answer = {
  isStream: boolean;
  notes: string[];
  /** Reads the complete answer. @throws ProviderError, or the signal's reason, if what has arrived cannot be counted */
  whole: (signal: AbortSignal) => Promise<Outcome & { type: string; body: Buffer | JsonObject }>;
  /** Streams it to its end. The connection stays open. */
  passOn: (raw: ServerResponse, signal: AbortSignal) => Promise<Outcome>;
};

type AnswerOptions = { streams: boolean; notes: string[] };

/** An answer that is relayed unchanged. @throws ProviderError if events arrive that were not requested */
export function relayedAnswer(
  relayed: RelayedResponse,
  { streams, notes, hidesUsage }: AnswerOptions & { hidesUsage: boolean },
): Answer {
  const isStream = relayed.contentType.includes('text/event-stream');
  if (isStream && !streams) {
    // A client that did not request events would read them as text.
    relayed.body.destroy();
    throw notAnAnswer();
  }
  return {
    isStream,
    notes,
    async whole(signal) {
      const body = await readResponseBody(relayed, signal);
      const outcome = {
        ...readCost(body, relayed.apiKey),
        events: Math.ceil(body.length / 4),
        used: [],
        failure: undefined,
      };
      const isSafe = !createKeyDetector(relayed.apiKey)(body);
      const shown = isSafe ? body : Buffer.from(maskKeyInChat(body.toString(), relayed.apiKey));
      return { ...outcome, type: relayed.contentType || json, body: shown };
    },
    passOn: (raw, signal) => relayStream(relayed, raw, { hidesUsage, signal }),
  };
}

const json = 'application/json';

/** An answer of Responses, translated back to a chat completion. */
export function translatedAnswer(
  answered: ProviderAnswer,
  { streams, notes, ...how }: AnswerOptions & { model: string; tellsUsage: boolean },
): Answer {
  const writer = chunkWriter(how);
  const reader = responseEventReader(writer, answered.apiKey);
  const outcomeOf = (failure: unknown): Outcome => {
    const { output, deltas } = reader.soFar();
    return { usage: reader.usage(), tier: reader.tier(), events: deltas, used: parseToolUses(output), failure };
  };
  async function read(signal: AbortSignal, send: (frames: string) => void): Promise<Outcome> {
    try {
      await pipeToReader(reader, answered, { send, signal });
      return outcomeOf(undefined);
    } catch (failure) {
      send(writer.taken());
      return outcomeOf(failure);
    }
  }
  return {
    isStream: streams,
    notes,
    async whole(signal) {
      const outcome = await read(signal, () => undefined);
      return { ...outcome, type: json, body: writer.whole(truncationReason(reader.ending()), outcome.usage) };
    },
    async passOn(raw, signal) {
      const { write, release } = createWriter(answered.body, raw);
      const outcome = await read(signal, write);
      if (outcome.failure === undefined) write(writer.ending(truncationReason(reader.ending()), outcome.usage));
      release();
      return outcome;
    },
  };
}
