import { setTimeout as wait } from 'node:timers/promises';
import { createFeatures } from './compose.ts';
import { schemaState } from './db/migrate.ts';
import type { Feature } from './feature.ts';
import { maskingOfStoredWords } from './features/account/stored-words.ts';
import { type ForTests, type Foundation, foundation, type Given } from './foundation.ts';
import { describeApi } from './http/api-description.ts';
import { createApiDoor } from './http/api-door.ts';
import type { FindCaller } from './http/caller.ts';
import { usualTimes } from './http/connections.ts';
import { createDraining } from './http/draining.ts';
import { operationRoutes, type Phase } from './http/operation.ts';
import { describeProgramApi } from './http/program-api-description.ts';
import { createRouter } from './http/router.ts';
import { forgetEndedRates } from './http/shared-rates.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { createUpkeep, forgetGivenUpJobs } from './jobs/upkeep.ts';
import { createWorker } from './jobs/worker.ts';
import { forgetKeptMails } from './mail/kept.ts';
import type { Figures } from './metrics/prometheus.ts';
import { listenForMetrics, metricsRoute } from './metrics/serve.ts';
import { scheduledBackups } from './operator/backups/scheduled.ts';

type Doors = Pick<Parameters<typeof createRouter>[0], 'findActor' | 'checkResponses'> & {
  features: readonly Feature[];
  findCaller: FindCaller;
};

/** The calls of the pages and those of programs. */
async function openDoors(base: Foundation, { features, findCaller, findActor, checkResponses }: Doors) {
  const { app, config, cookie, openResponses, rates, sessions } = base;
  const [sessionToken, lockActor] = [cookie.read, sessions.lock];
  const router = createRouter({ app, rates, checkResponses, sessionToken, findActor, lockActor, openResponses });
  const door = createApiDoor({ app, config, rates, findCaller, checkResponses });
  for (const { routes, apiRoutes } of features) {
    routes?.(router);
    apiRoutes?.(door);
  }
  await door.open();
  return { router, door };
}

const choresOf = ({ config, database: { db }, provider, keys }: Foundation, features: readonly Feature[]) => [
  forgetGivenUpJobs(db),
  forgetEndedRates(db),
  forgetKeptMails(config),
  maskingOfStoredWords({ db, keys }),
  ...provider.upkeep,
  ...features.flatMap(({ upkeep = [] }) => upkeep),
];

const partsOf = ({ database, store }: Foundation): Parameters<typeof operationRoutes>[2] => ({
  database: () => database.check().then(() => 'ok'),
  schema: () => schemaState(database.db),
  storage: () => store.check().then(() => 'ok'),
});

/** Where they are configured: on the main port, or on one of their own. */
async function serveMetrics({ app, config: { metrics }, prometheus }: Foundation, figures: () => Promise<Figures>) {
  if (!metrics || !prometheus) return undefined;
  const answer = { contentType: prometheus.contentType, text: async () => prometheus.text(await figures()) };
  if (metrics.listen) return listenForMetrics(metrics, answer);
  metricsRoute(app, metrics, answer);
}

async function closeFoundation(
  { app, mail, openResponses, provider, rates, streams, tracing }: Foundation,
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

export async function createApp({ checkResponses = false, jobTimes, tools, ...parts }: Given & ForTests) {
  const base = await foundation(parts, parts);
  const { app, cookie, database, log, sessions } = base;
  const { db } = database;
  const drain = createDraining(app);
  const { auth, findCaller, figures, all: features } = createFeatures(base, tools);
  const { noticedMs, endingMs } = parts.connectionTimes ?? usualTimes;
  const state: { phase: Phase } = { phase: 'starting' };

  const findActor: Parameters<typeof createRouter>[0]['findActor'] = (token, { ip }) => sessions.find(token, ip);
  const { router, door } = await openDoors(base, { features, findCaller, findActor, checkResponses });
  operationRoutes(app, state, partsOf(base));
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
  const upkeep = createUpkeep([...choresOf(base, features), ...backups.chores], log);

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
      await closeFoundation(base, () => drain(endingMs));
    },
  };
}
