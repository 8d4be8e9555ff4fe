import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from './errors.ts';

const againAfterMs = 500;

/**
 * Does it again while a part of the installation is away, until it is back or the signal says that nobody waits any more.
 * `isRepeated`: the time before may have been stored all the same, and only its answer lost. @throws what else goes wrong,
 * and the signal's reason. `onWaiting`: it has failed once.
 */
export async function retryUntilAvailable<T>(
  signal: AbortSignal,
  work: (isRepeated: boolean) => Promise<T>,
  onWaiting: () => void = () => undefined,
): Promise<T> {
  for (let isRepeated = false; ; isRepeated = true)
    try {
      return await work(isRepeated);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      onWaiting();
      await sleep(againAfterMs, undefined, { signal, ref: false }).catch(() => undefined);
      signal.throwIfAborted();
    }
}
