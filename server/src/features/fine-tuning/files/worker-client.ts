import { Worker } from 'node:worker_threads';
import { AppError, restartingError } from '#server/lib/errors';
import { cancelled, createPerUserQueue } from './per-user-queue.ts';
import type { Kind, TaskOrder, Tasks, WorkerReply, WorkerRequest } from './task.ts';

/** Opens the bytes of a file when its turn comes. */
export type Source = () => Promise<AsyncIterable<Buffer>>;

type Work<K extends Kind> = { order: Extract<TaskOrder, { kind: K }>; sources: Source[]; signal: AbortSignal };
type Pieces<K extends Kind> = AsyncGenerator<Buffer, Tasks[K]['result']>;

const longestWorkMs = 120_000;
const idleMs = 30_000;
/** At most 4 MB of JSON are parsed per line. A thread that needs more memory dies alone; the server continues. */
const memoryLimitMb = 384;

const failed = (cause: unknown) => new Error('The worker that reads training files failed', { cause });

function startWorker(onExit: (ended: Worker) => void): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 16 },
  });
  worker.once('exit', () => onExit(worker));
  // Its failures go to the caller that waits for an answer; between two tasks there is none.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

/** Gives a thread its task and the files for it, chunk by chunk, and yields the output. */
async function* exchange<K extends Kind>(thread: Worker, { order, sources, signal }: Work<K>): Pieces<K> {
  const say = (question: WorkerRequest) => ask<Tasks[K]['result']>(thread, question, signal);
  await say({ say: 'begin', order });
  for (const open of sources) {
    for await (const chunk of await open()) {
      // A copy can be transferred; the chunk may be part of a shared buffer.
      const reply = await say({ say: 'chunk', bytes: new Uint8Array(chunk) });
      yield* outputOf(reply);
      if (reply.say === 'taken' && reply.enough) break;
    }
    yield* outputOf(await say({ say: 'next' }));
  }
  const last = await say({ say: 'end' });
  if (last.say !== 'result') throw failed('It gave no result');
  return last.result;
}

/**
 * A thread that reads training files: parsing and counting 50 MB takes seconds, during which every open stream of the
 * server would stall. It gets the next chunk once it has taken the last one, does one task at a time, and ends when
 * idle, because the tokenizer's tables take 100 MB.
 */
export function createTrainingFileWorker() {
  const queue = createPerUserQueue();
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const forget = (ended: Worker) => {
    if (worker === ended) worker = undefined;
  };

  async function end() {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  async function* inTurn<K extends Kind>(userId: number, { order, sources, signal }: Work<K>): Pieces<K> {
    await queue.take(userId, signal);
    clearTimeout(idle);
    const limit = AbortSignal.timeout(longestWorkMs);
    let isDone = false;
    try {
      worker ??= startWorker(forget);
      const result = yield* exchange(worker, { order, sources, signal: AbortSignal.any([signal, limit]) });
      isDone = true;
      return result;
    } catch (error) {
      throw limit.aborted ? tookTooLong(error) : error;
    } finally {
      // A thread that was interrupted midway cannot be used again.
      if (!isDone) await end();
      if (queue.pass(userId)) idle = setTimeout(end, idleMs).unref();
    }
  }

  return {
    /** Yields the output as it is made. A reader that stops early ends the task. */
    async *run<K extends Kind>(userId: number, work: Work<K>): Pieces<K> {
      try {
        return yield* inTurn(userId, { ...work, signal: AbortSignal.any([work.signal, stopping.signal]) });
      } catch (error) {
        throw stopping.signal.aborted ? restartingError(error) : error;
      }
    },
    /** Ends the current task and waiting ones; nothing more is read. */
    async close() {
      stopping.abort(new Error('The server is stopping'));
      await end();
    },
  };
}

export type TrainingFileWorker = ReturnType<typeof createTrainingFileWorker>;

/** @throws if the thread ends instead of answering, or the signal comes first */
function ask<Result>(thread: Worker, question: WorkerRequest, signal: AbortSignal): Promise<WorkerReply<Result>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled(signal));
    const settle = (act: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onMessage = (reply: WorkerReply<Result>) =>
      settle(() => (reply.say === 'failed' ? reject(failed(reply.message)) : resolve(reply)));
    const onError = (cause: Error) => settle(() => reject(failed(cause)));
    const onExit = (code: number) => onError(new Error(`The worker exited with code ${code}`));
    const onAbort = () => settle(() => reject(cancelled(signal)));
    signal.addEventListener('abort', onAbort);
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(question, question.say === 'chunk' ? [question.bytes.buffer] : []);
  });
}

function* outputOf<T>(reply: WorkerReply<T>): Generator<Buffer> {
  if (reply.say === 'taken' && reply.output) yield Buffer.from(reply.output.buffer);
}

const tookTooLong = (cause: unknown) =>
  new AppError(
    'unavailable',
    'The file could not be processed within two minutes. Split it into smaller files, or try again later.',
    {
      cause,
      retryAfterSeconds: 60,
    },
  );
