import { Worker } from 'node:worker_threads';
import { AppError } from '#server/lib/errors';
import { UnreadableDocumentError } from './document.ts';
import type { ParsedDescription, ReadOptions } from './read.ts';

export type ReadTask = ReadOptions & { text: string };
export type ReadResult =
  | { read: ParsedDescription }
  | { unreadable: { message: string; about: UnreadableDocumentError['about'] } }
  | { failed: string };

/** Limit for a hostile description; an honest one of 20 MB takes less. */
const usualWithinMs = 45_000;
/** Reading a megabyte of YAML takes about 50 MB, a megabyte of JSON about 10. */
const memoryLimitMb = 768;
const maxWaiting = 20;

const tooMuch = (cause?: unknown) =>
  new UnreadableDocumentError('This description takes too long to read. Use a smaller or simpler one.', {
    cause,
  });

/** The thread's answer, or the reason why it exited. */
function answerOf(worker: Worker, withinMs: number, signal: AbortSignal): Promise<ReadResult> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(tooMuch()), withinMs);
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    // Out of memory, among others.
    worker.once('error', (cause) => reject(tooMuch(cause)));
    worker.once('exit', (code) =>
      reject(new Error(`The worker that reads OpenAPI descriptions exited with code ${code}`)),
    );
    worker.once('exit', () => {
      clearTimeout(limit);
      signal.removeEventListener('abort', stop);
    });
  });
}

/**
 * Reads descriptions in a separate thread, one at a time: a megabyte of YAML takes a second, during which every open
 * stream of the server would stall, and a hostile text never ends.
 */
export function createReadWorker({ withinMs = usualWithinMs } = {}) {
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function once(order: ReadTask): Promise<ParsedDescription> {
    stopping.signal.throwIfAborted();
    const worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    try {
      const answer = await answerOf(worker, withinMs, stopping.signal);
      if ('read' in answer) return answer.read;
      if ('unreadable' in answer)
        throw new UnreadableDocumentError(answer.unreadable.message, { about: answer.unreadable.about });
      throw new Error(`Reading an OpenAPI description failed: ${answer.failed}`);
    } finally {
      await worker.terminate();
    }
  }

  return {
    /** @throws Unreadable */
    async read(order: ReadTask): Promise<ParsedDescription> {
      if (waiting >= maxWaiting)
        throw new AppError('unavailable', 'Roster is busy reading other API descriptions. Try again in a minute.', {
          retryAfterSeconds: 60,
        });
      waiting++;
      const turn = last.then(
        () => once(order),
        () => once(order),
      );
      last = turn;
      return turn.finally(() => {
        waiting--;
      });
    },
    close: async () => {
      stopping.abort(new Error('Roster is stopping'));
      await last.catch(() => undefined);
    },
  };
}

export type ReadWorker = ReturnType<typeof createReadWorker>;
