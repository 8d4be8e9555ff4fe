import { AppError } from '#server/lib/errors';

type Line = { taken: number; waiting: Set<() => void> };

/**
 * Limits how many files of a user are uploaded at once; the others wait. The provider's clients send several files at a
 * time, and none is read before its turn.
 */
export function createTurns(atOnce: number, patienceMs: number) {
  const lines = new Map<number, Line>();

  function leave(userId: number, line: Line) {
    const [next] = line.waiting;
    // Pass the slot on, or free it.
    if (next) next();
    else if (--line.taken === 0) lines.delete(userId);
  }

  function enter(line: Line): Promise<void> {
    if (line.taken < atOnce) {
      line.taken++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      function begin() {
        clearTimeout(timer);
        line.waiting.delete(begin);
        resolve();
      }
      const timer = setTimeout(() => {
        line.waiting.delete(begin);
        reject(new AppError('rate_limited', 'Other files are still being uploaded.', { retryAfterSeconds: 5 }));
      }, patienceMs);
      line.waiting.add(begin);
    });
  }

  return async function inTurn<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const line = lines.get(userId) ?? { taken: 0, waiting: new Set() };
    lines.set(userId, line);
    await enter(line);
    try {
      return await work();
    } finally {
      leave(userId, line);
    }
  };
}
