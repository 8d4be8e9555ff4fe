import { parentPort, workerData } from 'node:worker_threads';
import { parsedDocument, UnreadableDocumentError } from './document.ts';
import { readDescription } from './read.ts';
import type { ThreadAnswer, ThreadOrder } from './read-thread.ts';

function answer({ text, ...order }: ThreadOrder): ThreadAnswer {
  try {
    return { read: readDescription(parsedDocument(text), order) };
  } catch (error) {
    if (error instanceof UnreadableDocumentError) return { unreadable: { message: error.message, about: error.about } };
    // Nested deeper than the stack is high.
    if (error instanceof RangeError)
      return { unreadable: { message: 'This description is nested too deeply.', about: 'description' } };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const order: ThreadOrder = workerData;
parentPort?.postMessage(answer(order));
