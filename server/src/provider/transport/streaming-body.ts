import type { Dispatcher } from 'undici';

export type BodyReader = {
  onData: (chunk: Buffer) => void;
  onEnd: () => void;
  onError: (error: Error) => void;
  /** Nothing more is told: it was left or destroyed. */
  onLeft?: () => void;
};

/**
 * The body of a response, as it arrives. A stream of Node's does more than is needed here, with each packet (docs/decisions/06-provider-http.md).
 */
export type StreamingBody = AsyncIterable<Buffer> & {
  /** Once. What has arrived before is told at once; after its end or an error nothing more is told. */
  read: (reader: BodyReader) => void;
  /** Before it is read. false: it has come to its end without a byte. */
  begins: () => Promise<boolean>;
  /** The bytes that arrived before anybody read. */
  held: () => Buffer;
  /** Whoever reads is slower. */
  pause: () => void;
  resume: () => void;
  /** Reads no more, but waits a moment for the end, so that the connection can be used again; what goes on is cut off. */
  leave: () => void;
  /** Reads no more and closes the connection, unless the end has come. */
  destroy: () => void;
};

/** Bytes that are held until somebody reads; then the sender waits. */
const heldAtMost = 64 * 1024;
/** Packets that are read before they are asked for, where a body is iterated over. */
const aheadAtMost = 4;
/** What is left of a body that nobody reads any more follows at once. */
const endsWithinMs = 500;

const nobodyReads = () => new Error('Nobody reads this answer any more.');

type Controller = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

export function createStreamingBody(controller: Controller) {
  let reader: BodyReader | undefined;
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** null: at its end. */
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
    // What has failed is told to its reader.
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
      // Only now: what the sender goes on with comes after what was held.
      if (heldBytes > heldAtMost) controller.resume();
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
      if (heldBytes > heldAtMost) controller.pause();
    },
    end,
  };
}

/** One after the other: the sender waits while nobody asks for the next. */
async function* chunksOf(body: StreamingBody): AsyncGenerator<Buffer> {
  const arrived: Buffer[] = [];
  let ended: Error | null | undefined;
  let wake: (() => void) | undefined;
  body.read({
    onData(chunk) {
      arrived.push(chunk);
      if (arrived.length > aheadAtMost) body.pause();
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
