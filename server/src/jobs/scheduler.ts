import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { jobRepository } from './repository.ts';

export const hourMs = 60 * 60_000;
const givenUpKeptMs = 30 * 24 * hourMs;

/** Work that each process repeats at intervals; it may run in several processes at once. */
export type ScheduledTask = {
  everyMs: number;
  /** Also when the server starts. */
  atStart?: boolean;
  run: () => Promise<unknown>;
};

/** Runs each piece of upkeep at its interval, and never twice at once. */
export function createScheduler(chores: readonly ScheduledTask[], log: FastifyBaseLogger) {
  const underWay = new Map<ScheduledTask, Promise<void>>();

  function begin(chore: ScheduledTask) {
    if (underWay.has(chore)) return;
    const work = chore
      .run()
      .then(
        () => undefined,
        (error: unknown) => log.error({ err: error }, 'upkeep failed'),
      )
      .finally(() => underWay.delete(chore));
    underWay.set(chore, work);
  }

  let timers: NodeJS.Timeout[] = [];

  return {
    start() {
      timers = chores.map((chore) => setInterval(() => begin(chore), chore.everyMs).unref());
      for (const chore of chores) if (chore.atStart) begin(chore);
    },
    /** Starts nothing more, and waits for running work. */
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}

/** Jobs that were given up stay for a while, to be looked at. */
export const removeFailedJobs = (db: Kysely<Database>): ScheduledTask => ({
  everyMs: hourMs,
  atStart: true,
  run: () => jobRepository(db).forgetGivenUp(new Date(Date.now() - givenUpKeptMs).toISOString()),
});
