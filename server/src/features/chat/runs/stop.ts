import type { Presence } from '#server/db/presence';
import type { LiveRuns } from './live-run.ts';
import type { RunRepository } from './repository.ts';

type Dependencies = {
  runs: Pick<RunRepository, 'requestStop' | 'stopRequested'>;
  presence: Pick<Presence, 'send'>;
  live: LiveRuns;
  /** Ends a run that waits for a person. false: it does not. */
  endWaiting: (userId: number, runId: number, note: null) => Promise<boolean>;
};

/** How runs are stopped, wherever they are executed. */
export function runStopping({ runs, presence, live, endWaiting }: Dependencies) {
  return {
    /** Closes the connection to the provider and waits until the end is stored, or waits itself; elsewhere, asks for it. */
    async stop(userId: number, runId: number) {
      const here = live.get(runId);
      if (here) {
        here.stop();
        // An end that waits for a database that is away or full must not keep the person waiting, too.
        await Promise.race([here.done.promise, here.heldUp.promise]);
        if (live.has(runId)) return;
        // It may just have begun to wait.
        await endWaiting(userId, runId, null);
        return;
      }
      if (await endWaiting(userId, runId, null)) return;
      await runs.requestStop(userId, runId);
      presence.send({ stop: runId });
      // From here on it does not begin to wait; it may have before.
      await endWaiting(userId, runId, null);
    },
    /** A signal may be lost with a connection; what was asked for is also in the database. */
    async obeyStops() {
      if (live.size === 0) return;
      for (const id of await runs.stopRequested([...live.keys()])) live.get(id)?.stop();
    },
  };
}
