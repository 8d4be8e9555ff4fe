import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from './errors.ts';

const retryDelayMs = 500;

/**
 * Retries while the database or file store is unavailable, until it recovers or `signal` aborts. `isRepeated`: an
 * earlier attempt may have been stored although its response was lost. `onWaiting` is called after the first failure.
 * @throws other errors, and the signal's reason
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
      await sleep(retryDelayMs, undefined, { signal, ref: false }).catch(() => undefined);
      signal.throwIfAborted();
    }
}
