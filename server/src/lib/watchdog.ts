import { UnavailableError } from './errors.ts';

type Watched = {
  /** Asks whether the other side is there. */
  probe: () => Promise<unknown>;
  /** Told once, when it is not: what is under way can be broken off. */
  onAway?: () => void;
};

/** What is thrown where the other side has gone silent. */
export class UnresponsiveError extends Error {
  override name = 'UnresponsiveError';
}

const lookEveryMs = 250;
/** Together less than the three seconds within which a caller gets its response. */
const patienceMs = 1_000;
const probeMs = 1_500;

/** Settles with the work, or fails at the deadline. What came in while this process was busy itself still counts. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const tooLate = () => reject(new UnresponsiveError(`There was no answer within ${ms} ms`));
      setImmediate(() => setImmediate(tooLate));
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Notices that something outside has gone silent, while a request waits for it: after a second without any progress it is
 * asked whether it is there. Slow work goes on as long as it answers that; where it does not, everybody who waits is told,
 * and new requests are told at once, until it answers again.
 */
export function createWatchdog({ probe, onAway = () => undefined }: Watched) {
  const waiting = new Set<(reason: Error) => void>();
  let progressAt = 0;
  let reason: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let isStopped = false;

  async function look() {
    if (isProbing || (!reason && performance.now() - progressAt < patienceMs)) return;
    isProbing = true;
    const failure = await within(probeMs, probe()).then(
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
    /** Waits for work as long as the other side is there. @throws also what `work` does */
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (reason) throw reason;
      if (waiting.size === 0) progressAt = performance.now();
      if (!isStopped) timer ??= setInterval(() => void look(), lookEveryMs).unref();
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
        // That others are told quickly brings nobody further who still waits.
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
