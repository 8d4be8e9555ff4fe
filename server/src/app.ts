import { sql } from 'kysely';
import type { Feature } from './feature.ts';
import { accountFeature } from './features/account/feature.ts';
import { apiTokenFeature } from './features/api-tokens/feature.ts';
import { assistantFeature } from './features/assistants/feature.ts';
import { knowledgeFeature } from './features/assistants/knowledge/feature.ts';
import { copySettled } from './features/assistants/knowledge/queue.ts';
import { authFeature } from './features/auth/feature.ts';
import { chatFeature } from './features/chat/feature.ts';
import { fileFeature } from './features/files/feature.ts';
import { trainingFeature } from './features/fine-tuning/feature.ts';
import { modelRepository as tunedModelRepository } from './features/fine-tuning/models/repository.ts';
import { modelFeature } from './features/models/feature.ts';
import { openAiApiFeatures } from './features/openai-api/feature.ts';
import { usageFeature } from './features/usage/feature.ts';
import { userFeature } from './features/users/feature.ts';
import { type ForTests, type Foundation, foundation, type Given } from './foundation.ts';
import { describeApi } from './http/api-description.ts';
import { createApiDoor } from './http/api-door.ts';
import type { FindCaller } from './http/caller.ts';
import { operationRoutes } from './http/operation.ts';
import { createRouter } from './http/router.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { createUpkeep, forgetGivenUpJobs } from './jobs/upkeep.ts';
import { createWorker } from './jobs/worker.ts';
import { forgetKeptMails } from './mail/kept.ts';

/** The map: each feature gets by argument what it needs of those before it. */
function createFeatures(base: Foundation) {
  const auth = authFeature(base);
  const models = modelFeature({ ...base, tunedModels: tunedModelRepository(base.database.db).choice });
  const files = fileFeature({ ...base, onCopySettled: copySettled });
  const knowledge = knowledgeFeature({ ...base, files });
  const assistants = assistantFeature({ ...base, models, knowledge });
  const usage = usageFeature({ ...base, ownsAssistant: assistants.owns });
  const { pricing, budgets } = usage;
  const chat = chatFeature({ ...base, models, assistants, pricing, budgets, knowledge, files });
  const training = trainingFeature({
    ...base,
    models,
    files,
    sideQuestions: chat.sideQuestions,
    ownsAssistant: assistants.owns,
  });
  const apiTokens = apiTokenFeature(base);
  const ofUsers: Feature[] = [apiTokens, usage, assistants, chat, files, knowledge, training];
  const { confirmPassword, refuseGuessable, hashPassword, passwordLink } = auth;
  const account = accountFeature({ ...base, models, confirmPassword, features: ofUsers });
  const removeAccount = account.remove;
  const users = userFeature({ ...base, refuseGuessable, hashPassword, passwordLink, removeAccount });
  const forPrograms: Feature[] = [
    apiTokens,
    ...openAiApiFeatures({ ...base, models, assistants, knowledge, pricing, budgets }),
  ];
  const all: Feature[] = [
    auth,
    account,
    models,
    assistants,
    knowledge,
    chat,
    files,
    training,
    usage,
    users,
    ...forPrograms,
  ];
  return { auth, findCaller: apiTokens.findCaller, all };
}

type Doors = Pick<Parameters<typeof createRouter>[0], 'findActor' | 'checkResponses'> & {
  features: readonly Feature[];
  findCaller: FindCaller;
};

/** The calls of the pages and those of programs. */
async function openDoors(base: Foundation, { features, findCaller, findActor, checkResponses }: Doors) {
  const { app, config, cookie, openResponses, rates, sessions } = base;
  const [sessionToken, holdActor] = [cookie.read, sessions.hold];
  const router = createRouter({ app, rates, checkResponses, sessionToken, findActor, holdActor, openResponses });
  const door = createApiDoor({ app, config, rates, findCaller, checkResponses });
  for (const { routes, apiRoutes } of features) {
    routes?.(router);
    apiRoutes?.(door);
  }
  await door.open();
  return { router, door };
}

export async function createApp({ checkResponses = false, jobTimes, ...parts }: Given & ForTests) {
  const base = await foundation(parts, parts);
  const { app, config, cookie, database, log, mail, openResponses, provider, sessions, store, streams } = base;
  const { db } = database;
  const { auth, findCaller, all: features } = createFeatures(base);
  const state = { ready: false };

  const findActor: Parameters<typeof createRouter>[0]['findActor'] = (token, { ip }) => sessions.find(token, ip);
  const sessionToken = cookie.read;
  const { router, door } = await openDoors(base, { features, findCaller, findActor, checkResponses });
  operationRoutes(app, state, [() => sql`select 1`.execute(db), store.check]);
  describeApi(app, router.endpoints, cookie.name);
  await serveWeb({
    app,
    sessionToken,
    async findUser(token, request) {
      const actor = await findActor(token, request);
      return actor && auth.user(actor.userId);
    },
  });

  const worker = createWorker({ db, handlers: features.flatMap(({ jobs = [] }) => jobs), log, ...jobTimes });
  const upkeep = createUpkeep(
    [forgetGivenUpJobs(db), forgetKeptMails(config), ...features.flatMap(({ upkeep = [] }) => upkeep)],
    log,
  );

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
      await app.close();
      await provider.close();
    },
  };
}
