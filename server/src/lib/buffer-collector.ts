import { exposeGarbageCollector } from './garbage-collector.ts';

const collectEvery = 8 * 1024 * 1024;

/**
 * Makes the engine collect young objects after every 8 MB. The buffers of an upload are dead once they are written, but
 * lie outside the heap, where the engine lets 70 to 100 MB of them gather first: more than the rest of the server
 * needs. A collection takes one to two milliseconds.
 */
export function bufferCollector() {
  let collect: ReturnType<typeof exposeGarbageCollector> | undefined;
  let passed = 0;
  return {
    passed(bytes: number) {
      passed += bytes;
      if (passed < collectEvery) return;
      passed = 0;
      collect ??= exposeGarbageCollector();
      collect({ type: 'minor', execution: 'sync' });
    },
  };
}

export type BufferCollector = ReturnType<typeof bufferCollector>;
