import type { Presence } from '#server/db/presence';
import type { RunRepository } from './repository.ts';
import type { AbandonedRun } from './unfinished-repository.ts';

/** One of our own that is not live could not be ended when it should have been; a fresh one may just be starting. */
const startsWithinMs = 60_000;

type Dependencies = {
  runs: Pick<RunRepository, 'allUnderWay'>;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  /** Whether it is live here, or about to be. */
  isTaken: (runId: number) => boolean;
  /** Ends it, or goes on with it. Returns whether it was ended. */
  takeUp: (run: AbandonedRun) => Promise<boolean>;
};

/** Ends the runs of processes that are gone, or takes them over. Other processes may do the same at the same time. */
export function runRecovery({ runs, presence, isTaken, takeUp }: Dependencies) {
  let goneLately = new Set<number>();

  async function endAbandoned(isCertain: (instance: number) => boolean): Promise<number> {
    let ended = 0;
    const gone = new Map<number, boolean>();
    const ownBefore = new Date(Date.now() - startsWithinMs).toISOString();
    async function isGone(instance: number) {
      const known = gone.get(instance) ?? ((await presence.isGone(instance)) && isCertain(instance));
      gone.set(instance, known);
      return known;
    }
    for (const run of await runs.allUnderWay()) {
      if (isTaken(run.id)) continue;
      const isAbandoned = run.instance === presence.instance ? run.createdAt < ownBefore : await isGone(run.instance);
      if (isAbandoned && (await takeUp(run))) ended++;
    }
    return ended;
  }

  return {
    /** Ends what a crash has left behind, before anybody is let in. */
    recover: () => endAbandoned(() => true),
    /**
     * The same while work goes on. Only for processes that were gone the last time too: one whose connection to the
     * database was cut looks gone until it is back, and must not lose its runs.
     */
    async recoverAgain(): Promise<number> {
      const before = goneLately;
      goneLately = new Set();
      return endAbandoned((instance) => {
        goneLately.add(instance);
        return before.has(instance);
      });
    },
  };
}
