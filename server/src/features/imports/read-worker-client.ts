import { Worker } from 'node:worker_threads';
import { type ReadConversation, UnreadableExportError } from './readers/conversation.ts';

export type ReadTask = { path: string; skip: number; isCounting: boolean };
export type ReadBatch = { batch: ReadConversation[] } | { end: true } | { unreadable: string } | { failed: string };

/** A conversation of 48 MB of JSON takes several times that. A thread that needs more dies alone. */
const memoryLimitMb = 768;

const tooLarge = (cause: unknown) =>
  new UnreadableExportError('A conversation in this export is too large for Roster to read.', { cause });

function next(worker: Worker, signal: AbortSignal): Promise<ReadBatch> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const settle = (act: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onMessage = (message: ReadBatch) => settle(() => resolve(message));
    const onError = (cause: unknown) =>
      settle(() =>
        reject(
          cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? tooLarge(cause)
            : cause,
        ),
      );
    const onExit = (code: number) => onError(new Error(`The worker that reads exports exited with code ${code}`));
    const onAbort = () => settle(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage('next');
  });
}

/**
 * Reads an export in a thread of its own: parsing gigabytes takes minutes, during which every open stream of the server
 * would stall.
 * @throws UnreadableExportError
 */
export async function* readBatches(task: ReadTask, signal: AbortSignal): AsyncGenerator<ReadConversation[]> {
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 32 },
  });
  // Between two requests nobody listens.
  worker.on('error', () => undefined);
  try {
    for (;;) {
      const answer = await next(worker, signal);
      if ('batch' in answer) yield answer.batch;
      else if ('end' in answer) return;
      else if ('unreadable' in answer) throw new UnreadableExportError(answer.unreadable);
      else throw new Error(`Reading an export failed: ${answer.failed}`);
    }
  } finally {
    await worker.terminate();
  }
}
