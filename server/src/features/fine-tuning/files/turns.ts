import { AppError } from '#server/errors';

const waitingAllowed = 4;

export const cancelled = (signal: AbortSignal) =>
  new AppError('unavailable', 'Reading the training file was cancelled.', { cause: signal.reason });

/** One at a time, few waiting, and of each person one: who does not get in is told to come back. */
export function turns() {
  let isTaken = false;
  const waiting: (() => void)[] = [];
  const people = new Set<number>();

  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal));
      const turn = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(turn), 1);
        reject(cancelled(signal));
      };
      waiting.push(turn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    /** Resolves when it is this person's turn. */
    async take(userId: number, signal: AbortSignal) {
      if (people.has(userId))
        throw new AppError('rate_limited', 'Another training file of yours is being read. Please wait for it.', {
          retryAfterSeconds: 5,
        });
      if (isTaken && waiting.length >= waitingAllowed)
        throw new AppError(
          'unavailable',
          'Too many training files are being read right now. Please try again in a moment.',
          { retryAfterSeconds: 10 },
        );
      people.add(userId);
      if (!isTaken) {
        isTaken = true;
        return;
      }
      try {
        await wait(signal);
      } catch (error) {
        people.delete(userId);
        throw error;
      }
    },
    /** Returns whether nobody else waits. */
    pass(userId: number): boolean {
      people.delete(userId);
      const next = waiting.shift();
      next?.();
      isTaken = next !== undefined;
      return !isTaken;
    },
  };
}
