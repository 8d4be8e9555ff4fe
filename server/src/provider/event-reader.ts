import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { isObject } from '#server/is-object';
import { ProviderError } from './error.ts';
import { networkFailure } from './http.ts';

/** The end of a body follows its last event at once. */
const endsWithinMs = 500;
/** Characters of an event that has not come to its end. */
const eventLimit = 32 * 1024 * 1024;

/**
 * Reads a stream of server-sent events packet by packet: `onEvent` for each event, `onPacket` after the events of one
 * network packet, so that what arrived together is passed on together. Resolves when `isDone()` or the stream ends.
 *
 * Listens to the body instead of iterating over it: an iterator costs two promises for each packet, which is most of
 * what relaying a token costs.
 */
export function readEvents(
  body: Dispatcher.ResponseData['body'],
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
      body.removeAllListeners();
      // Destroying an unfinished body reports its end as an error, which no longer matters.
      body.on('error', () => undefined);
      if (error === undefined) {
        letEnd(body);
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
    body.on('data', (chunk: Buffer) => guarded(() => parser.feed(decoder.decode(chunk, { stream: true }))));
    body.on('end', () =>
      guarded(() => {
        // Ends a last event that the provider left without its empty line.
        parser.feed(`${decoder.decode()}\n\n`);
        if (!reader.isDone())
          throw new ProviderError('provider_broke_off', 'The provider broke off before the answer was complete.');
      }),
    );
    body.on('error', (error: Error) => {
      if (signal.aborted) return finish(signal.reason);
      const failure = networkFailure(error);
      finish(
        failure.code === 'provider_timeout'
          ? failure
          : new ProviderError('provider_broke_off', 'The connection to the provider broke off.', { cause: error }),
      );
    });
  });
}

/** Reads what follows the last event, so that the connection can be used again; a body that goes on is cut off. */
function letEnd(body: Dispatcher.ResponseData['body']) {
  if (body.readableEnded) return;
  const patience = setTimeout(() => body.destroy(), endsWithinMs).unref();
  body.once('close', () => clearTimeout(patience));
  body.resume();
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
