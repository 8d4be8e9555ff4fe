import { UnavailableError } from './errors.ts';

type WatchdogOptions = {
  /** Checks that the other side responds. */
  probe: () => Promise<unknown>;
  /** Called once when it does not, so that work in progress can be aborted. */
  onAway?: () => void;
};

/** Thrown when the other side does not respond. */
export class UnresponsiveError extends Error {
  override name = 'UnresponsiveError';
}

const checkEveryMs = 250;
/** Twice this must stay below the three seconds within which a caller gets its response. */
const silenceMs = 1_000;
const probeMs = 1_500;

/** Settles with the work, or rejects at the deadline. Results that arrived while this process was busy still count. */
export function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const tooLate = () => reject(new UnresponsiveError(`There was no answer within ${ms} ms`));
      setImmediate(() => setImmediate(tooLate));
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Detects that an external service has gone silent while a request waits for it: after a second without progress it is
 * probed. Slow work continues while probes succeed; otherwise all waiting and new callers are rejected at once until it
 * responds again.
 */
export function createWatchdog({ probe, onAway = () => undefined }: WatchdogOptions) {
  const waiting = new Set<(reason: Error) => void>();
  let progressAt = 0;
  let reason: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let isStopped = false;

  async function check() {
    if (isProbing || (!reason && performance.now() - progressAt < silenceMs)) return;
    isProbing = true;
    const failure = await withDeadline(probeMs, probe()).then(
      () => undefined,
      (cause: unknown) => new UnresponsiveError('there is no answer', { cause }),
    );
    isProbing = false;
    progressAt = performance.now();
    const wasAway = reason !== undefined;
    reason = failure;
    if (failure) {
      for (const reject of waiting) reject(failure);
      if (!wasAway) onAway();
    } else if (waiting.size === 0) rest();
  }

  function rest() {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Runs `work` while the other side responds. @throws UnresponsiveError, and what `work` throws */
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (reason) throw reason;
      if (waiting.size === 0) progressAt = performance.now();
      if (!isStopped) timer ??= setInterval(() => void check(), checkEveryMs).unref();
      let reject: (reason: Error) => void = () => undefined;
      const gone = new Promise<never>((_, refuse) => {
        reject = refuse;
      });
      waiting.add(reject);
      try {
        const result = await Promise.race([work(), gone]);
        progressAt = performance.now();
        return result;
      } catch (error) {
        // A quick rejection of another caller is not progress for those still waiting.
        if (!(error instanceof UnavailableError)) progressAt = performance.now();
        throw error;
      } finally {
        waiting.delete(reject);
        if (waiting.size === 0 && !reason && !isProbing) rest();
      }
    },
    stop() {
      isStopped = true;
      rest();
    },
  };
}

export type Watchdog = ReturnType<typeof createWatchdog>;
