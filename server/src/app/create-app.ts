import { setTimeout as wait } from 'node:timers/promises';
import { scheduledBackups } from '#server/backup/scheduled/scheduled';
import { schemaState } from '#server/db/migrate';
import { maskStoredErrors } from '#server/features/account/mask-stored-errors';
import type { Feature } from '#server/features/feature';
import { describeApi } from '#server/http/app-router/api-description';
import { createRouter } from '#server/http/app-router/router';
import { createGracefulShutdown } from '#server/http/graceful-shutdown';
import { healthRoutes, type Phase } from '#server/http/health-routes';
import { usualTimes } from '#server/http/limits/connections';
import { removeExpiredRateCounts } from '#server/http/limits/shared-rate-limits';
import { describeProgramApi } from '#server/http/public-api/api-description';
import type { FindPrincipal } from '#server/http/public-api/api-principal';
import { createPublicApiRouter } from '#server/http/public-api/router';
import { serveWeb } from '#server/http/static/web-files';
import { jobRepository } from '#server/jobs/repository';
import { createScheduler, removeFailedJobs } from '#server/jobs/scheduler';
import { createWorker } from '#server/jobs/worker';
import { removeOldFileMails } from '#server/mail/file-outbox';
import { listenForMetrics, metricsRoute } from '#server/metrics/metrics-server';
import type { Figures } from '#server/metrics/prometheus';
import { createFeatures } from './features.ts';
import { type AppContext, createServices, type ForTests, type Services } from './services.ts';

type Doors = Pick<Parameters<typeof createRouter>[0], 'findActor' | 'checkResponses'> & {
  features: readonly Feature[];
  findCaller: FindPrincipal;
};

/** The calls of the pages and those of programs. */
async function registerRoutes(base: Services, { features, findCaller, findActor, checkResponses }: Doors) {
  const { app, config, cookie, openResponses, rates, sessions } = base;
  const [sessionToken, lockActor] = [cookie.read, sessions.lock];
  const router = createRouter({ app, rates, checkResponses, sessionToken, findActor, lockActor, openResponses });
  const door = createPublicApiRouter({ app, config, rates, findCaller, checkResponses });
  for (const { routes, apiRoutes } of features) {
    routes?.(router);
    apiRoutes?.(door);
  }
  await door.open();
  return { router, door };
}

const scheduledTasks = ({ config, database: { db }, provider, keys }: Services, features: readonly Feature[]) => [
  removeFailedJobs(db),
  removeExpiredRateCounts(db),
  removeOldFileMails(config),
  maskStoredErrors({ db, keys }),
  ...provider.upkeep,
  ...features.flatMap(({ upkeep = [] }) => upkeep),
];

const healthChecks = ({ database, store }: Services): Parameters<typeof healthRoutes>[2] => ({
  database: () => database.check().then(() => 'ok'),
  schema: () => schemaState(database.db),
  storage: () => store.check().then(() => 'ok'),
});

/** Where they are configured: on the main port, or on one of their own. */
async function serveMetrics({ app, config: { metrics }, prometheus }: Services, figures: () => Promise<Figures>) {
  if (!metrics || !prometheus) return undefined;
  const answer = { contentType: prometheus.contentType, text: async () => prometheus.text(await figures()) };
  if (metrics.listen) return listenForMetrics(metrics, answer);
  metricsRoute(app, metrics, answer);
}

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

export async function createApp({ checkResponses = false, jobTimes, tools, ...parts }: AppContext & ForTests) {
  const base = await createServices(parts, parts);
  const { app, cookie, database, log, sessions } = base;
  const { db } = database;
  const drain = createGracefulShutdown(app);
  const { auth, findCaller, figures, all: features } = createFeatures(base, tools);
  const { noticedMs, endingMs } = parts.connectionTimes ?? usualTimes;
  const state: { phase: Phase } = { phase: 'starting' };

  const findActor: Parameters<typeof createRouter>[0]['findActor'] = (token, { ip }) => sessions.find(token, ip);
  const { router, door } = await registerRoutes(base, { features, findCaller, findActor, checkResponses });
  healthRoutes(app, state, healthChecks(base));
  const metricsPort = await serveMetrics(base, figures);
  describeApi(app, router.endpoints, cookie.name);
  describeProgramApi(app, door.endpoints);
  await serveWeb({
    app,
    sessionToken: cookie.read,
    async findUser(token, request) {
      const actor = await findActor(token, request);
      return actor && auth.user(actor.userId);
    },
  });

  const worker = createWorker({ db, handlers: features.flatMap(({ jobs = [] }) => jobs), log, ...jobTimes });
  const backups = scheduledBackups(base);
  const upkeep = createScheduler([...scheduledTasks(base, features), ...backups.chores], log);

  return {
    app,
    endpoints: router.endpoints,
    apiEndpoints: door.endpoints,
    needsSetupCode: auth.needsSetupCode,
    /** Ends what a crash has left behind. Before anybody is let in. */
    async recover() {
      // Elsewhere others may be at work; what a process there had taken is free again after a while.
      if (database.engine === 'sqlite') await jobRepository(db).letGoAll();
      for (const { recover } of features) await recover?.();
    },
    /** Takes work. */
    open() {
      state.phase = 'ready';
      worker.start();
      upkeep.start();
    },
    /** Takes no new work, lets what is under way end, and closes. */
    async close() {
      state.phase = 'stopping';
      if (base.config.trustProxy > 0) await wait(noticedMs);
      backups.close();
      await Promise.all([worker.stop(), ...features.map(({ close }) => close?.())]);
      // Until here: what is asked of answers that are being ended is looked for by it.
      await upkeep.stop();
      await metricsPort?.close();
      await closeServices(base, () => drain(endingMs));
    },
  };
}
