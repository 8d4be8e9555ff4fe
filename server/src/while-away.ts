import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from './errors.ts';

const againAfterMs = 500;

/**
 * Does it again while a part of the installation is away, until it is back or the signal says that nobody waits any more.
 * `isRepeated`: the time before may have been stored all the same, and only its answer lost. @throws what else goes wrong,
 * and the signal's reason
 */
export async function onceBack<T>(signal: AbortSignal, work: (isRepeated: boolean) => Promise<T>): Promise<T> {
  for (let isRepeated = false; ; isRepeated = true)
    try {
      return await work(isRepeated);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await sleep(againAfterMs, undefined, { signal, ref: false }).catch(() => undefined);
      signal.throwIfAborted();
    }
}
