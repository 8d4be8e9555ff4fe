import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';

const waitingAllowed = 4;
/** A closed connection becomes known a few turns of the event loop later. */
const leftWithinMs = 30;

export const cancelled = (signal: AbortSignal) =>
  new AppError('unavailable', 'Reading the training file was cancelled.', { cause: signal.reason });

/** Reading for a user, in progress or waiting: a signal that they have left, and its end. */
type Reading = { signal: AbortSignal; over: Promise<void>; end: () => void };

function newReading(signal: AbortSignal): Reading {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { signal, over: promise, end: resolve };
}

const isLeft = ({ signal }: Reading): Promise<boolean> => {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return settlesWithin(leftWithinMs, left);
};

/** One per user. */
function readers() {
  const people = new Map<number, Reading>();
  return {
    /**
     * Waits for the end of what the same user has left, so that opening a dialog again is not refused because of
     * themselves.
     */
    async afterOwn(userId: number, signal: AbortSignal) {
      const own = people.get(userId);
      if (own && !(await isLeft(own)))
        throw new AppError(
          'rate_limited',
          'Another of your training files is being processed. Wait until it is done.',
          {
            retryAfterSeconds: 5,
          },
        );
      await own?.over;
      if (signal.aborted) throw cancelled(signal);
    },
    has: (userId: number) => people.has(userId),
    enter: (userId: number, signal: AbortSignal) => people.set(userId, newReading(signal)),
    leave(userId: number) {
      people.get(userId)?.end();
      people.delete(userId);
    },
  };
}

/** One at a time, few waiting, and one per user; others are told to come back. */
export function createPerUserQueue() {
  let isTaken = false;
  const waiting: (() => void)[] = [];
  const people = readers();

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
    /** Resolves when it is this user's turn. */
    async take(userId: number, signal: AbortSignal) {
      // Several may have waited for the same end; nobody else can enter between the last check and this call's entry.
      while (people.has(userId)) await people.afterOwn(userId, signal);
      if (isTaken && waiting.length >= waitingAllowed)
        throw new AppError(
          'unavailable',
          'Too many training files are being read right now. Please try again in a moment.',
          { retryAfterSeconds: 10 },
        );
      people.enter(userId, signal);
      if (!isTaken) {
        isTaken = true;
        return;
      }
      try {
        await wait(signal);
      } catch (error) {
        people.leave(userId);
        throw error;
      }
    },
    /** Returns true if nobody else waits. */
    pass(userId: number): boolean {
      people.leave(userId);
      const next = waiting.shift();
      next?.();
      isTaken = next !== undefined;
      return !isTaken;
    },
  };
}
