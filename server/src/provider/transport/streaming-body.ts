import type { Dispatcher } from 'undici';

type BodyReader = {
  onData: (chunk: Buffer) => void;
  onEnd: () => void;
  onError: (error: Error) => void;
  /** No more callbacks follow: the body was left or destroyed. */
  onLeft?: () => void;
};

/**
 * A response body as it arrives. A Node stream does more work per packet than needed
 * (docs/decisions/06-provider-http.md).
 */
export type StreamingBody = AsyncIterable<Buffer> & {
  /** May be called once. Delivers at once what has arrived; after the end or an error no more callbacks follow. */
  read: (reader: BodyReader) => void;
  /** Waits for the first byte before reading. false: the body is empty. */
  begins: () => Promise<boolean>;
  /** The bytes that arrived before reading started. */
  held: () => Buffer;
  /** Pauses the sender while the reader is slower. */
  pause: () => void;
  resume: () => void;
  /** Stops reading, but waits briefly for the end so that the connection can be reused; a longer body is cut off. */
  leave: () => void;
  /** Stops reading and closes the connection unless the body has ended. */
  destroy: () => void;
};

/** Bytes to buffer before reading starts; then the sender is paused. */
const maxBufferedBytes = 64 * 1024;
/** Packets to read ahead when a body is iterated. */
const maxReadAhead = 4;
/** How long a body that is no longer read may take to end. */
const endsWithinMs = 500;

const nobodyReads = () => new Error('Nobody reads this answer any more.');

type Controller = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

export function createStreamingBody(controller: Controller) {
  let reader: BodyReader | undefined;
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** null: ended normally. */
  let ended: Error | null | undefined;
  let isLeft = false;
  let patience: NodeJS.Timeout | undefined;
  const beginning = Promise.withResolvers<boolean>();

  function settle() {
    if (ended === undefined || !reader || isLeft) return;
    isLeft = true;
    if (ended === null) reader.onEnd();
    else reader.onError(ended);
  }
  function end(how: Error | null) {
    if (ended !== undefined) return;
    ended = how;
    // A failure is reported to the reader.
    beginning.resolve(how !== null);
    clearTimeout(patience);
    settle();
  }
  function stopReading() {
    if (isLeft) return;
    isLeft = true;
    held = [];
    reader?.onLeft?.();
  }
  function destroy() {
    stopReading();
    if (ended === undefined) controller.abort(nobodyReads());
  }

  const body: StreamingBody = {
    read(one) {
      reader = one;
      for (const chunk of held) if (!isLeft) one.onData(chunk);
      held = [];
      settle();
      // Resume last: what the sender continues with must come after the buffered bytes.
      if (heldBytes > maxBufferedBytes) controller.resume();
    },
    begins: () => beginning.promise,
    held: () => Buffer.concat(held),
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    leave() {
      stopReading();
      if (ended !== undefined) return;
      patience = setTimeout(destroy, endsWithinMs).unref();
      controller.resume();
    },
    destroy,
    [Symbol.asyncIterator]: () => chunksOf(body),
  };

  return {
    body,
    push(chunk: Buffer) {
      beginning.resolve(true);
      if (isLeft) return;
      if (reader) return reader.onData(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > maxBufferedBytes) controller.pause();
    },
    end,
  };
}

/** Yields chunk by chunk: the sender is paused while nobody asks for the next. */
async function* chunksOf(body: StreamingBody): AsyncGenerator<Buffer> {
  const arrived: Buffer[] = [];
  let ended: Error | null | undefined;
  let wake: (() => void) | undefined;
  body.read({
    onData(chunk) {
      arrived.push(chunk);
      if (arrived.length > maxReadAhead) body.pause();
      wake?.();
    },
    onEnd: () => end(null),
    onError: end,
    onLeft: () => end(nobodyReads()),
  });
  function end(how: Error | null) {
    if (ended === undefined) ended = how;
    wake?.();
  }
  try {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk) {
        yield chunk;
        continue;
      }
      if (ended) throw ended;
      if (ended === null) return;
      const arrival = Promise.withResolvers<void>();
      wake = arrival.resolve;
      body.resume();
      await arrival.promise;
    }
  } finally {
    body.destroy();
  }
}
