import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isObject } from '#server/is-object';
import type { ArrivingBody } from './arriving-body.ts';
import { ProviderError } from './error.ts';
import { networkFailure } from './http.ts';

/** Characters of an event that has not come to its end. */
const eventLimit = 32 * 1024 * 1024;

/**
 * Reads a stream of server-sent events packet by packet: `onEvent` for each event, `onPacket` after the events of one
 * network packet, so that what arrived together is passed on together. Resolves when `isDone()` or the stream ends.
 */
export function readEvents(
  body: ArrivingBody,
  reader: { onEvent: (event: EventSourceMessage) => void; onPacket: () => void; isDone: () => boolean },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: reader.onEvent,
      maxBufferSize: eventLimit,
      onError(error) {
        // Anything else is a line that says nothing, and is passed over.
        if (error.type === 'max-buffer-size-exceeded')
          throw new ProviderError('provider_unavailable', 'The provider’s answer is too large.');
      },
    });

    function finish(error?: unknown) {
      if (error === undefined) {
        body.leave();
        resolve();
      } else {
        body.destroy();
        reject(error);
      }
    }
    const guarded = (work: () => void) => {
      try {
        try {
          work();
        } finally {
          // What came in the same packet before a failure has arrived.
          reader.onPacket();
        }
        if (reader.isDone()) finish();
      } catch (error) {
        finish(error);
      }
    };
    body.read({
      onData: (chunk) => guarded(() => parser.feed(decoder.decode(chunk, { stream: true }))),
      onEnd: () =>
        guarded(() => {
          // Ends a last event that the provider left without its empty line.
          parser.feed(`${decoder.decode()}\n\n`);
          if (!reader.isDone())
            throw new ProviderError('provider_broke_off', 'The provider broke off before the answer was complete.');
        }),
      onError(error) {
        if (signal.aborted) return finish(signal.reason);
        const failure = networkFailure(error);
        finish(
          failure.code === 'provider_timeout'
            ? failure
            : new ProviderError('provider_broke_off', 'The connection to the provider broke off.', { cause: error }),
        );
      },
    });
  });
}

/** For what came in the place of an answer, or of a piece of it. */
export const notAnAnswer = (cause?: unknown) =>
  new ProviderError('provider_broke_off', 'The provider sent something that could not be read.', { cause });

/** The JSON of one event. An event that cannot be read may have held words, so it ends the answer visibly. */
export function eventJson(data: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw notAnAnswer(cause);
  }
  if (!isObject(value)) throw notAnAnswer();
  return value;
}
