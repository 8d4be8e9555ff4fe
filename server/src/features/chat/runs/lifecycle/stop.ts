import type { Presence } from '#server/db/presence';
import type { RunRepository } from '#server/features/chat/shared/run-repository';
import type { LiveRuns } from './live-run.ts';

type Dependencies = {
  runs: Pick<RunRepository, 'requestStop' | 'stopRequested'>;
  presence: Pick<Presence, 'send'>;
  live: LiveRuns;
  /** Ends a run that waits for approval. false: it is not waiting. */
  endWaiting: (userId: number, runId: number, note: null) => Promise<boolean>;
};

/** Stops runs on any instance. */
export function createRunStopper({ runs, presence, live, endWaiting }: Dependencies) {
  return {
    /** Stops a live run and waits until its end is stored or delayed; asks other instances to stop theirs. */
    async stop(userId: number, runId: number) {
      const here = live.get(runId);
      if (here) {
        here.stop();
        // Do not make the user wait for a database that is unavailable or full.
        await Promise.race([here.done.promise, here.delayed.promise]);
        if (live.has(runId)) return;
        // It may have been parked just now.
        await endWaiting(userId, runId, null);
        return;
      }
      if (await endWaiting(userId, runId, null)) return;
      await runs.requestStop(userId, runId);
      presence.send({ stop: runId });
      // The stop request keeps it from being parked, but it may have been parked before.
      await endWaiting(userId, runId, null);
    },
    /** Signals can be lost with a connection; stop requests are also in the database. */
    async obeyStops() {
      if (live.size === 0) return;
      for (const id of await runs.stopRequested([...live.keys()])) live.get(id)?.stop();
    },
  };
}
