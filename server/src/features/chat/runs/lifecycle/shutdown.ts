import { setTimeout as wait } from 'node:timers/promises';
import type { RunRepository } from '#server/features/chat/shared/run-repository';
import { AppError, restartingError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { FollowUpWork } from './follow-ups.ts';
import type { LiveRuns } from './live-run.ts';

const drainWithinMs = 25_000;
const lookEveryMs = 50;

type Dependencies = {
  runs: Pick<RunRepository, 'inProgress'>;
  live: LiveRuns;
  followUps: FollowUpWork;
  stop: (userId: number, runId: number) => Promise<void>;
};

/** Ends all runs of a user or of the process, and rejects new ones. */
export function createShutdown({ runs, live, followUps, stop }: Dependencies) {
  /** Users whose accounts are being deleted. */
  const leaving = new Set<number>();
  let isShuttingDown = false;

  async function stopAll(userId: number, withinMs: number) {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const inProgress = await runs.inProgress(userId);
      if (inProgress.length === 0) return;
      if (performance.now() > giveUpAt) throw stillBeingEnded();
      await Promise.all(inProgress.map(({ id }) => stop(userId, id)));
      await wait(lookEveryMs);
    }
  }

  return {
    /** @throws AppError if no new runs are accepted */
    refuseWhenClosing(userId: number) {
      if (leaving.has(userId)) throw new AppError('not_allowed', 'This account is being closed.');
      if (isShuttingDown) throw restartingError();
    },
    /**
     * Ends all runs of a user, on all instances, and rejects new ones until `work` is done. Another instance may still
     * accept a message; callers that must be sure check again in the transaction.
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
    /** Rejects new runs, gives active ones time to end, and interrupts the rest with their text stored. */
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
  new AppError('unavailable', 'An answer is still being stopped. Wait a minute, sign in again and retry.', {
    retryAfterSeconds: 60,
  });
