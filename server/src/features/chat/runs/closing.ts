import { setTimeout as wait } from 'node:timers/promises';
import { AppError, restarting } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { FollowUpWork } from './follow-ups.ts';
import type { LiveRuns } from './live-run.ts';
import type { RunRepository } from './repository.ts';

const drainWithinMs = 25_000;
const lookEveryMs = 50;

type Dependencies = {
  runs: Pick<RunRepository, 'underWay'>;
  live: LiveRuns;
  followUps: FollowUpWork;
  stop: (userId: number, runId: number) => Promise<void>;
};

/** How the work for a person ends, or everybody's, and no more of it is taken. */
export function runClosing({ runs, live, followUps, stop }: Dependencies) {
  /** Whose accounts are being closed. */
  const leaving = new Set<number>();
  let isShuttingDown = false;

  async function stopAll(userId: number, withinMs: number) {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const underWay = await runs.underWay(userId);
      if (underWay.length === 0) return;
      if (performance.now() > giveUpAt) throw stillBeingEnded();
      await Promise.all(underWay.map(({ id }) => stop(userId, id)));
      await wait(lookEveryMs);
    }
  }

  return {
    /** @throws AppError where no more runs of theirs are taken */
    refuseWhenClosing(userId: number) {
      if (leaving.has(userId)) throw new AppError('not_allowed', 'This account is being closed.');
      if (isShuttingDown) throw restarting();
    },
    /**
     * Ends all work for a person, other processes' included, and refuses more of it until `work` is done. Another process
     * may still take a message; callers that must be sure ask again in the transaction.
     */
    async withoutRuns<T>(userId: number, withinMs: number, work: () => Promise<T>): Promise<T> {
      leaving.add(userId);
      try {
        await stopAll(userId, withinMs);
        await followUps.stopOf(userId);
        return await work();
      } finally {
        leaving.delete(userId);
      }
    },
    /** Takes no new runs, gives those under way time to end, and marks the rest as interrupted with their text. */
    async drain() {
      isShuttingDown = true;
      const ends = Promise.all([...live.values()].map((run) => run.done.promise));
      await settlesWithin(drainWithinMs, ends);
      for (const run of live.values()) run.interrupt();
      await ends;
      await followUps.close();
    },
  };
}

const stillBeingEnded = () =>
  new AppError('unavailable', 'An answer is still being ended. Sign in again in a minute, and try once more.', {
    retryAfterSeconds: 60,
  });
