import { sql } from 'kysely';
import { createFeatures } from './compose.ts';
import type { Feature } from './feature.ts';
import { type ForTests, type Foundation, foundation, type Given } from './foundation.ts';
import { describeApi } from './http/api-description.ts';
import { createApiDoor } from './http/api-door.ts';
import type { FindCaller } from './http/caller.ts';
import { operationRoutes } from './http/operation.ts';
import { describeProgramApi } from './http/program-api-description.ts';
import { createRouter } from './http/router.ts';
import { forgetEndedRates } from './http/shared-rates.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { createUpkeep, forgetGivenUpJobs } from './jobs/upkeep.ts';
import { createWorker } from './jobs/worker.ts';
import { forgetKeptMails } from './mail/kept.ts';

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

const choresOf = ({ config, database: { db } }: Foundation, features: readonly Feature[]) => [
  forgetGivenUpJobs(db),
  forgetEndedRates(db),
  forgetKeptMails(config),
  ...features.flatMap(({ upkeep = [] }) => upkeep),
];

export async function createApp({ checkResponses = false, jobTimes, tools, ...parts }: Given & ForTests) {
  const base = await foundation(parts, parts);
  const { app, cookie, database, log, mail, openResponses, provider, rates, sessions, store, streams } = base;
  const { db } = database;
  const { auth, findCaller, all: features } = createFeatures(base, tools);
  const state = { ready: false };

  const findActor: Parameters<typeof createRouter>[0]['findActor'] = (token, { ip }) => sessions.find(token, ip);
  const { router, door } = await openDoors(base, { features, findCaller, findActor, checkResponses });
  operationRoutes(app, state, [() => sql`select 1`.execute(db), store.check]);
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
  const upkeep = createUpkeep(choresOf(base, features), log);

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
      state.ready = true;
      worker.start();
      upkeep.start();
    },
    /** Takes no new work, lets what is under way end, and closes. */
    async close() {
      state.ready = false;
      await Promise.all([worker.stop(), ...features.map(({ close }) => close?.())]);
      // Until here: what is asked of answers that are being ended is looked for by it.
      await upkeep.stop();
      mail.close();
      streams.close();
      openResponses.close();
      await rates.close();
      await app.close();
      await provider.close();
    },
  };
}
