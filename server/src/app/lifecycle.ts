import { setTimeout as wait } from 'node:timers/promises';
import { scheduledBackups } from '#server/backup/scheduled/scheduled';
import { maskStoredErrors } from '#server/features/account/mask-stored-errors';
import type { Feature } from '#server/features/feature';
import type { Phase } from '#server/http/health-routes';
import type { ConnectionTimeouts } from '#server/http/limits/connections';
import { removeExpiredRateCounts } from '#server/http/limits/shared-rate-limits';
import { jobRepository } from '#server/jobs/repository';
import { createScheduler, removeFailedJobs } from '#server/jobs/scheduler';
import { createWorker } from '#server/jobs/worker';
import { removeOldFileMails } from '#server/mail/file-outbox';
import type { ForTests, Services } from './services.ts';

type Options = {
  features: readonly Feature[];
  state: { phase: Phase };
  metricsServer: { close: () => Promise<void> } | undefined;
  jobTimes: ForTests['jobTimes'];
  connectionTimes: ConnectionTimeouts;
  drain: (withinMs: number) => Promise<void>;
};

/** Starts and stops the application: recovery, background jobs, scheduled tasks, and the order in which all of it closes. */
export function createLifecycle(services: Services, options: Options) {
  const { database, log } = services;
  const { db } = database;
  const { features, state, connectionTimes } = options;
  const handlers = features.flatMap(({ jobs = [] }) => jobs);
  const worker = createWorker({ db, handlers, log, ...options.jobTimes });
  const backups = scheduledBackups(services);
  const scheduler = createScheduler([...scheduledTasks(services, features), ...backups.tasks], log);

  return {
    /** Finishes or ends what a crash interrupted. Called before the server listens. */
    async recover() {
      // On PostgreSQL other processes may be working; claims of a dead one expire by themselves.
      if (database.engine === 'sqlite') await jobRepository(db).releaseAll();
      for (const { recover } of features) await recover?.();
    },
    /** Reports ready and starts background work. */
    open() {
      state.phase = 'ready';
      worker.start();
      scheduler.start();
    },
    /** Takes no new work, lets active work end, then closes. */
    async close() {
      state.phase = 'stopping';
      // A load balancer needs this long to notice that the server is stopping.
      if (services.config.trustProxy > 0) await wait(connectionTimes.noticedMs);
      backups.close();
      await Promise.all([worker.stop(), ...features.map(({ close }) => close?.())]);
      // The scheduler polls for stop requests of the runs that were ending, so it stops after them.
      await scheduler.stop();
      await options.metricsServer?.close();
      await closeServices(services, () => options.drain(connectionTimes.endingMs));
    },
  };
}

const scheduledTasks = ({ config, database: { db }, provider, keys }: Services, features: readonly Feature[]) => [
  removeFailedJobs(db),
  removeExpiredRateCounts(db),
  removeOldFileMails(config),
  maskStoredErrors(db, keys),
  ...provider.upkeep,
  ...features.flatMap(({ upkeep = [] }) => upkeep),
];

async function closeServices(
  { app, mail, openResponses, provider, rates, streams, tracing }: Services,
  drain: () => Promise<void>,
) {
  mail.close();
  streams.close();
  await drain();
  openResponses.close();
  await rates.close();
  await app.close();
  await provider.close();
  await tracing.close();
}
