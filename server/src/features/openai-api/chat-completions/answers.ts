import type { ServerResponse } from 'node:http';
import { type Answered, readInto } from '#server/features/openai-api/responses/answer';
import { readWhole } from '#server/features/openai-api/whole-answer';
import { writerFrom } from '#server/http/event-stream';
import type { JsonObject } from '#server/is-object';
import { notAnAnswer } from '#server/provider/event-reader';
import type { Relayed } from '#server/provider/relay';
import { usedTools } from '#server/provider/response-tools';
import { chunkWriter } from './by-responses/chunk-writer.ts';
import { cutOf, responseEventReader } from './by-responses/event-reader.ts';
import { type Outcome, passOn, usageIn } from './pass-on.ts';

/** An answer of the provider that has begun. */
export type Answer = {
  isStream: boolean;
  notes: string[];
  /** To its end, at once. @throws ProviderError, or the reason of the signal */
  whole: (signal: AbortSignal) => Promise<Omit<Outcome, 'failure'> & { type: string; body: Buffer | JsonObject }>;
  /** To its end, as it comes. The connection is left open. */
  passOn: (raw: ServerResponse, signal: AbortSignal) => Promise<Outcome>;
};

type Asked = { streams: boolean; notes: string[] };

/** One that is passed on as it is. @throws ProviderError where events come that nobody has asked for */
export function relayedAnswer(
  relayed: Relayed,
  { streams, notes, hidesUsage }: Asked & { hidesUsage: boolean },
): Answer {
  const isStream = relayed.contentType.includes('text/event-stream');
  if (isStream && !streams) {
    // A program that has not asked for them would take them for a text.
    relayed.body.destroy();
    throw notAnAnswer();
  }
  return {
    isStream,
    notes,
    async whole(signal) {
      const body = await readWhole(relayed, signal);
      const usage = usageIn(body);
      return { usage, events: Math.ceil(body.length / 4), used: [], type: relayed.contentType || json, body };
    },
    passOn: (raw, signal) => passOn(relayed, raw, { hidesUsage, signal }),
  };
}

const json = 'application/json';

/** One of Responses, made a chat completion again. */
export function translatedAnswer(
  answered: Answered,
  { streams, notes, ...how }: Asked & { model: string; tellsUsage: boolean },
): Answer {
  const writer = chunkWriter(how);
  const reader = responseEventReader(writer);
  const outcome = () => {
    const { output, deltas } = reader.soFar();
    return { usage: reader.ending()?.usage ?? null, events: deltas, used: usedTools(output) };
  };
  return {
    isStream: streams,
    notes,
    async whole(signal) {
      await readInto(reader, answered, { send: () => undefined, signal });
      const ending = reader.ending();
      if (!ending) throw notAnAnswer();
      return { ...outcome(), type: json, body: writer.whole(cutOf(ending), ending.usage) };
    },
    async passOn(raw, signal) {
      const { write, release } = writerFrom(answered.body, raw);
      try {
        await readInto(reader, answered, { send: write, signal });
        const ending = reader.ending();
        if (ending) write(writer.ending(cutOf(ending), ending.usage));
        return { ...outcome(), failure: undefined };
      } catch (failure) {
        write(writer.taken());
        return { ...outcome(), failure };
      } finally {
        release();
      }
    },
  };
}
