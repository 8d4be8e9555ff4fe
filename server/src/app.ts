import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/connect.ts';
import type { Presence } from './db/presence.ts';
import { createAccounts } from './features/account/feature.ts';
import { providerKeyService } from './features/account/provider-key.ts';
import { assistantExport } from './features/assistants/export-part.ts';
import { importService } from './features/assistants/import.ts';
import { createKnowledge } from './features/assistants/knowledge/feature.ts';
import { copySettled } from './features/assistants/knowledge/queue.ts';
import { assistantRepository } from './features/assistants/repository.ts';
import { assistantRoutes } from './features/assistants/routes.ts';
import { assistantService } from './features/assistants/service.ts';
import { sessionCookie } from './features/auth/cookie.ts';
import { createAuth } from './features/auth/feature.ts';
import type { HashingCost } from './features/auth/password-hashing.ts';
import { sessionService } from './features/auth/sessions.ts';
import { createChat } from './features/chat/feature.ts';
import { createFiles } from './features/files/feature.ts';
import { fileRepository } from './features/files/repository.ts';
import { createTraining } from './features/fine-tuning/feature.ts';
import { modelRepository as tunedModelRepository } from './features/fine-tuning/models/repository.ts';
import { modelRoutes } from './features/models/routes.ts';
import { modelService } from './features/models/service.ts';
import { adminKeyService } from './features/usage/admin-key.ts';
import { analyticsService } from './features/usage/analytics.ts';
import { analyticsRepository } from './features/usage/analytics-repository.ts';
import { budgetRepository } from './features/usage/budget-repository.ts';
import { budgetService } from './features/usage/budgets.ts';
import { usageExport } from './features/usage/export-part.ts';
import { pricingService } from './features/usage/pricing.ts';
import { providerFigureService } from './features/usage/provider-figures.ts';
import { usageRoutes } from './features/usage/routes.ts';
import { accountEventService } from './features/users/events.ts';
import { userRoutes } from './features/users/routes.ts';
import { userService } from './features/users/service.ts';
import { describeApi } from './http/api-description.ts';
import type { ConnectionTimes } from './http/connections.ts';
import { createEventStreams } from './http/event-stream.ts';
import { operationRoutes } from './http/operation.ts';
import { createRates } from './http/rates.ts';
import { createRouter } from './http/router.ts';
import { createServer } from './http/server.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { forgetGivenUpJobs, startUpkeep } from './jobs/upkeep.ts';
import { createWorker } from './jobs/worker.ts';
import { forgetKeptMails } from './mail/kept.ts';
import { createMailTransport } from './mail/transport.ts';
import { loadCatalogue } from './provider/catalogue.ts';
import { createProvider } from './provider/create.ts';
import { securityEventRepository } from './security/events-repository.ts';
import { createVault } from './security/vault.ts';
import { createFileStore } from './storage/create.ts';

export type ForTests = {
  /** Parse every answer with its contract. */
  checkAnswers?: boolean;
  hashingCost?: HashingCost;
  connectionTimes?: ConnectionTimes;
  jobTimes?: { pollMs: number };
};

type Parts = ForTests & {
  config: Config;
  database: OpenDatabase;
  presence: Presence;
  log: FastifyBaseLogger;
  setupCode: string;
};

/** The map: builds every repository, service and route, and joins them by argument. */
export async function createApp(parts: Parts) {
  const { config, database, presence, log, setupCode } = parts;
  const { checkAnswers = false, hashingCost, connectionTimes, jobTimes } = parts;
  const { db } = database;
  const state = { ready: false };
  let upkeep: ReturnType<typeof startUpkeep> | undefined;
  const app = createServer(config, log, connectionTimes);
  const rates = createRates(config.rateLimitScale);
  const cookie = sessionCookie(config.publicUrl.protocol === 'https:');
  const onSessionsEnded = (ids: string[]) => streams.endSessions(ids);
  const sessions = sessionService(db, onSessionsEnded);
  const streams = createEventStreams(sessions.live, (error) => log.error({ err: error }, 'checking sessions failed'));
  const router = createRouter({
    app,
    rates,
    checkAnswers,
    sessionToken: cookie.read,
    findActor: (token, request) => sessions.find(token, request.ip),
    holdActor: sessions.hold,
  });
  const mail = createMailTransport(config, log);

  const catalogue = loadCatalogue(config.modelCatalogue);
  const provider = await createProvider({ db, config: config.provider });
  const sealing = { db, vault: createVault(config.masterKeys), provider, config };
  const keys = providerKeyService(sealing);
  const adminKeys = adminKeyService(sealing);
  const tunedModels = tunedModelRepository(db).choice;
  const models = modelService({ provider, keys, catalogue, config, tunedModels });
  const signingIn = { app, config, rates, sessions, cookie, setupCode, hashingCost, mail };
  const auth = createAuth({ db, ...signingIn, onSessionsEnded });
  const assistants = assistantService({ database, models });
  const imports = importService({ db, provider, keys, models, catalogue });
  const assistantRows = assistantRepository(db);
  const ownsAssistant = async (userId: number, id: number) => (await assistantRows.find(userId, id)) !== undefined;
  const pricing = pricingService({ db, catalogue });
  const usageSums = analyticsRepository(database.reader);
  const analytics = analyticsService(usageSums);
  const providerFigures = providerFigureService({
    organization: provider.organization,
    adminKeys,
    analytics: usageSums,
  });
  const budgets = budgetService({ budgets: budgetRepository(db), analytics: analyticsRepository(db), ownsAssistant });
  const answering = { provider, catalogue, keys, models, assistants: assistantRows, pricing, budgets };
  const store = await createFileStore(config);
  const files = createFiles({ db, store, presence, config, provider, keys, onCopySettled: copySettled, log });
  const knowledge = createKnowledge({ database, presence, provider, keys, files, config, log });
  const stored = fileRepository(db);
  const chat = createChat({ database, presence, ...answering, knowledge, files: stored, store, log });
  const ofTraining = { stored, store, aside: chat.aside, ownsAssistant };
  const training = createTraining({
    database,
    provider,
    catalogue,
    config,
    keys,
    models,
    files,
    ...ofTraining,
    log,
  });
  const accounts = createAccounts({
    database,
    sessions,
    keys,
    models,
    confirmPassword: auth.confirmPassword,
    clearCookie: cookie.clear,
    onSessionsEnded,
    async onKeySaved(userId) {
      for (const feature of [files, knowledge, training]) await feature.keySaved(userId);
    },
    removeAtProvider: [training.removeEverywhere, knowledge.removeEverywhere, files.removeEverywhere],
    goingWithAccount: [chat.ofAccount, files.ofAccount],
    exported: [
      usageExport(database),
      assistantExport(database),
      chat.exportPart,
      files.exportPart,
      ...training.exportParts,
    ],
  });
  const { refuseGuessable, hashPassword, passwordLink } = auth;
  const administration = { refuseGuessable, hashPassword, passwordLink, removeAccount: accounts.remove };
  const users = userService({ database, config, ...administration, endStreams: onSessionsEnded });
  const handlers = [auth, files, knowledge, training].flatMap(({ jobs }) => jobs);
  const worker = createWorker({ db, handlers, log, ...jobTimes });

  auth.routes(router);
  accounts.routes(router);
  modelRoutes(router, models);
  assistantRoutes(router, { assistants, imports, knowledge });
  chat.routes(router, streams);
  files.routes(router);
  training.routes(router);
  usageRoutes(router, { analytics, pricing, budgets, adminKeys, providerFigures });
  userRoutes(router, { users, events: accountEventService(securityEventRepository(db)) });
  operationRoutes(app, state, [() => sql`select 1`.execute(db), store.check]);
  describeApi(app, router.endpoints, cookie.name);
  await serveWeb({
    app,
    sessionToken: cookie.read,
    async findUser(token, request) {
      const actor = await sessions.find(token, request.ip);
      return actor && auth.user(actor.userId);
    },
  });

  return {
    app,
    endpoints: router.endpoints,
    needsSetupCode: auth.needsSetupCode,
    /** Ends what a crash has left behind. Before anybody is let in. */
    async recover() {
      // Elsewhere others may be at work; what a process there had taken is free again after a while.
      if (database.engine === 'sqlite') await jobRepository(db).letGoAll();
      await files.recover();
      await training.recover();
      return chat.recover();
    },
    /** Takes work. */
    open() {
      state.ready = true;
      worker.start();
      upkeep = startUpkeep([forgetGivenUpJobs(db), forgetKeptMails(config), ...auth.upkeep, ...files.upkeep], log);
    },
    /** Takes no new work, lets what is under way end, and closes. */
    async close() {
      state.ready = false;
      await Promise.all([chat.close(), worker.stop(), upkeep?.stop(), training.close()]);
      mail.close();
      streams.close();
      await app.close();
      await provider.close();
    },
  };
}
