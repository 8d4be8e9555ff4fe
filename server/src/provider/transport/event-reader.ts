import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isObject } from '#server/lib/is-object';
import { ProviderError } from './error.ts';
import { toNetworkError } from './http.ts';
import type { StreamingBody } from './streaming-body.ts';

const tooLarge = () => new ProviderError('provider_unavailable', 'The provider’s answer is too large.');

/** In characters of an unfinished event. */
const eventLimit = 32 * 1024 * 1024;

const idleWords = /^\s*("?(ping|pong|heartbeat|keep-?alive)"?|null)?\s*$/i;
const isIdleWord = (text: string) => text.length < 20 && idleWords.test(text);
/** Servers send such events to keep the connection open. */
const isIdle = ({ event, data }: EventSourceMessage) => isIdleWord(data) || (event !== undefined && isIdleWord(event));

type EventReader = {
  onEvent: (event: EventSourceMessage) => void;
  onPacket: () => void;
  isDone: () => boolean;
  /** JSON instead of a stream. */
  onWhole: (json: string) => void;
  /** The stream has ended or broken off without `isDone()`. */
  onClosed?: () => void;
};

/** Passes text on as events, or collects it if the provider sent JSON instead of a stream. */
function textReader(reader: Pick<EventReader, 'onEvent' | 'onWhole'>) {
  const parser = createParser({
    onEvent(event) {
      if (!isIdle(event)) reader.onEvent(event);
    },
    maxBufferSize: eventLimit,
    onError(error) {
      // Any other error is a meaningless line, which is skipped.
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge();
    },
  });
  /** Text without a line end, kept apart because the parser would scan all of it again with each packet. */
  let held: string[] = [];
  let heldLength = 0;
  /** undefined until the first significant character: no event starts like JSON. */
  let isWhole: boolean | undefined;
  let whole = '';

  function feed(text: string) {
    held.push(text);
    heldLength += text.length;
    if (heldLength > eventLimit) throw tooLarge();
    if (!/[\r\n]/.test(text)) return;
    const lines = held.join('');
    held = [];
    heldLength = 0;
    parser.feed(lines);
  }

  return {
    take(text: string) {
      if (isWhole === undefined) {
        const started = text.trimStart();
        if (started !== '') isWhole = started.startsWith('{') || started.startsWith('[');
      }
      if (!isWhole) return feed(text);
      whole += text;
      if (whole.length > eventLimit) throw tooLarge();
    },
    end() {
      if (isWhole) reader.onWhole(whole);
      // Terminates a last event that the provider left without an empty line.
      else feed('\n\n');
    },
  };
}

/**
 * Reads server-sent events packet by packet: `onEvent` for each event, `onPacket` after the events of one network
 * packet, so that they can be passed on together. Resolves when `isDone()` or the stream ends.
 */
export function readEvents(body: StreamingBody, reader: EventReader, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    const text = textReader(reader);

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
          // Events in the same packet before a failure have arrived.
          reader.onPacket();
        }
        if (reader.isDone()) finish();
      } catch (error) {
        finish(error);
      }
    };

    body.read({
      onData: (chunk) => guarded(() => text.take(decoder.decode(chunk, { stream: true }))),
      onEnd: () =>
        guarded(() => {
          text.take(decoder.decode());
          text.end();
          if (!reader.isDone()) reader.onClosed?.();
          if (!reader.isDone())
            throw new ProviderError('provider_broke_off', 'The provider disconnected before the answer was complete.');
        }),
      onError(error) {
        if (signal.aborted) return finish(signal.reason);
        guarded(() => {
          reader.onClosed?.();
          if (reader.isDone()) return;
          const failure = toNetworkError(error);
          throw failure.code === 'provider_timeout'
            ? failure
            : new ProviderError('provider_broke_off', 'The connection to the provider was lost.', { cause: error });
        });
      },
    });
  });
}

/** The provider sent something that is not an answer, or not a piece of one. */
export const notAnAnswer = (cause?: unknown) =>
  new ProviderError('provider_broke_off', 'The provider sent something that could not be read.', { cause });

/** Parses the JSON of one event. An unparsable event may have contained text, so it fails the answer visibly. */
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
