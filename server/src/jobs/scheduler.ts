import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { jobRepository } from './repository.ts';

const failedKeptMs = 30 * 24 * hourMs;

/** Runs each task at its interval; a task never overlaps itself. */
export function createScheduler(tasks: readonly ScheduledTask[], log: FastifyBaseLogger) {
  const running = new Map<ScheduledTask, Promise<void>>();

  function start(task: ScheduledTask) {
    if (running.has(task)) return;
    const work = task
      .run()
      .then(
        () => undefined,
        (error: unknown) => log.error({ err: error }, 'scheduled task failed'),
      )
      .finally(() => running.delete(task));
    running.set(task, work);
  }

  let timers: NodeJS.Timeout[] = [];

  return {
    start() {
      timers = tasks.map((task) => setInterval(() => start(task), task.everyMs).unref());
      for (const task of tasks) if (task.atStart) start(task);
    },
    /** Starts nothing more, and waits for running work. */
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}

/** Failed jobs stay 30 days for the administrator to inspect. */
export const removeFailedJobs = (db: Kysely<Database>): ScheduledTask => ({
  everyMs: hourMs,
  atStart: true,
  run: () => jobRepository(db).forgetGivenUp(new Date(Date.now() - failedKeptMs).toISOString()),
});
