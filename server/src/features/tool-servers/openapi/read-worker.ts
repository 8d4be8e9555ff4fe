import { parentPort, workerData } from 'node:worker_threads';
import { parseDescription, UnreadableDocumentError } from './document.ts';
import { readDescription } from './read.ts';
import type { ReadResult, ReadTask } from './read-worker-client.ts';

function answer({ text, ...order }: ReadTask): ReadResult {
  try {
    return { read: readDescription(parseDescription(text), order) };
  } catch (error) {
    if (error instanceof UnreadableDocumentError) return { unreadable: { message: error.message, about: error.about } };
    // Nested deeper than the stack allows.
    if (error instanceof RangeError)
      return { unreadable: { message: 'This description is nested too deeply.', about: 'description' } };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const order: ReadTask = workerData;
parentPort?.postMessage(answer(order));
