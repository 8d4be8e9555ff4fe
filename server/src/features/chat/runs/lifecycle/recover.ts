import type { Presence } from '#server/db/presence';
import type { AbandonedRun, RunClaimRepository } from './claim-repository.ts';

/** Our own runs that are not live after this time have failed to end; younger ones may be starting. */
const startsWithinMs = 60_000;

type Dependencies = {
  claims: Pick<RunClaimRepository, 'allActive'>;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  /** True if it is live or being resumed here. */
  isTaken: (runId: number) => boolean;
  /** Ends or resumes it. Returns whether it was ended. */
  recoverRun: (run: AbandonedRun) => Promise<boolean>;
};

/** Recovers the runs of dead instances. Several instances may do so concurrently. */
export function createRunRecovery({ claims, presence, isTaken, recoverRun }: Dependencies) {
  let goneLately = new Set<number>();

  async function endAbandoned(isCertain: (instance: number) => boolean): Promise<number> {
    let ended = 0;
    const gone = new Map<number, boolean>();
    const ownBefore = new Date(Date.now() - startsWithinMs).toISOString();
    async function isGone(instance: number) {
      const isDead = gone.get(instance) ?? ((await presence.isGone(instance)) && isCertain(instance));
      gone.set(instance, isDead);
      return isDead;
    }
    for (const run of await claims.allActive()) {
      if (isTaken(run.id)) continue;
      const isAbandoned = run.instance === presence.instance ? run.createdAt < ownBefore : await isGone(run.instance);
      if (isAbandoned && (await recoverRun(run))) ended++;
    }
    return ended;
  }

  return {
    /** Recovers runs interrupted by a crash. Call before accepting requests. */
    recover: () => endAbandoned(() => true),
    /**
     * Call at intervals. Recovers only runs of instances that were dead at the previous call too: an instance that has
     * just lost its database connection looks dead, and must not lose its runs.
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
