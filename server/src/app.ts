import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/connect.ts';
import type { Presence } from './db/presence.ts';
import { accountClosing } from './features/account/closing.ts';
import { accountExport } from './features/account/export.ts';
import { accountPart } from './features/account/export-part.ts';
import { preferencesService } from './features/account/preferences.ts';
import { preferencesRepository } from './features/account/preferences-repository.ts';
import { providerKeyService } from './features/account/provider-key.ts';
import { accountRemoval } from './features/account/removal.ts';
import { removalRepository } from './features/account/removal-repository.ts';
import { accountRoutes } from './features/account/routes.ts';
import { securityEventPages } from './features/account/security-events.ts';
import { assistantExport } from './features/assistants/export-part.ts';
import { importService } from './features/assistants/import.ts';
import { assistantRepository } from './features/assistants/repository.ts';
import { assistantRoutes } from './features/assistants/routes.ts';
import { assistantService } from './features/assistants/service.ts';
import { passwordConfirmation } from './features/auth/confirm-password.ts';
import { confirmationService } from './features/auth/confirmation.ts';
import { sessionCookie } from './features/auth/cookie.ts';
import { expiredRows } from './features/auth/expired-repository.ts';
import { identityProviders } from './features/auth/external/create.ts';
import { flowCookie } from './features/auth/external/flow-cookie.ts';
import { flowService } from './features/auth/external/flows.ts';
import { flowRepository } from './features/auth/external/repository.ts';
import { externalRoutes } from './features/auth/external/routes.ts';
import { externalSignInService } from './features/auth/external/service.ts';
import { mailJobs } from './features/auth/mailing.ts';
import { createPasswordHashing, type HashingCost } from './features/auth/password-hashing.ts';
import { passwordRoutes } from './features/auth/password-routes.ts';
import { refuseGuessable } from './features/auth/password-rules.ts';
import { passwordLinks, passwordService } from './features/auth/passwords.ts';
import { authRoutes } from './features/auth/routes.ts';
import { authService } from './features/auth/service.ts';
import { sessionService } from './features/auth/sessions.ts';
import { createChat } from './features/chat/chat.ts';
import { modelRoutes } from './features/models/routes.ts';
import { modelService } from './features/models/service.ts';
import { analyticsService } from './features/usage/analytics.ts';
import { analyticsRepository } from './features/usage/analytics-repository.ts';
import { budgetRepository } from './features/usage/budget-repository.ts';
import { budgetService } from './features/usage/budgets.ts';
import { pricingService } from './features/usage/pricing.ts';
import { usageRoutes } from './features/usage/routes.ts';
import { accountEventService } from './features/users/events.ts';
import { userRoutes } from './features/users/routes.ts';
import { userService } from './features/users/service.ts';
import { describeApi } from './http/api-description.ts';
import { createEventStreams } from './http/event-stream.ts';
import { operationRoutes } from './http/operation.ts';
import { createRates } from './http/rates.ts';
import { createRouter } from './http/router.ts';
import { createServer } from './http/server.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { startUpkeep, type Upkeep } from './jobs/upkeep.ts';
import { createWorker, type JobKind } from './jobs/worker.ts';
import { createMailTransport } from './mail/transport.ts';
import { loadCatalogue } from './provider/catalogue.ts';
import { createProvider } from './provider/create.ts';
import { securityEventRepository } from './security/events-repository.ts';
import { createVault } from './security/vault.ts';

export type ForTests = {
  /** Parse every answer with its contract. */
  checkAnswers?: boolean;
  hashingCost?: HashingCost;
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
  const { config, database, presence, log, setupCode, checkAnswers = false, hashingCost } = parts;
  const { db } = database;
  const state = { ready: false };
  let upkeep: Upkeep | undefined;
  const app = createServer(config, log);
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
  });

  const mail = createMailTransport(config, log);
  const jobKinds = new Map<string, JobKind>();
  const worker = createWorker(jobRepository(db), jobKinds, log);
  const wakeJobs = worker.wake;
  jobKinds.set('mail', mailJobs({ db, transport: mail, config, wake: wakeJobs }));

  const catalogue = loadCatalogue(config.modelCatalogue);
  const provider = await createProvider({ db, config: config.provider });
  const keys = providerKeyService({ db, vault: createVault(config.masterKeys), provider, config });
  const models = modelService({ provider, keys, catalogue, config });
  const hashing = createPasswordHashing(hashingCost);
  const confirmation = confirmationService({ db, config, rates, wakeJobs });
  const passwords = passwordService({ db, hashing, rates, onSessionsEnded, wakeJobs });
  const auth = authService({ db, config, hashing, rates, sessions, confirmation, wakeJobs, setupCode });
  const external = externalSignInService({ db, config, onSessionsEnded, wakeJobs });
  const assistants = assistantService({ database, models });
  const imports = importService({ db, provider, keys, models, catalogue });
  const assistantRows = assistantRepository(db);
  const ownsAssistant = async (userId: number, id: number) => (await assistantRows.find(userId, id)) !== undefined;
  const pricing = pricingService({ db, catalogue });
  const analytics = analyticsService(analyticsRepository(database.reader));
  const budgets = budgetService({ budgets: budgetRepository(db), analytics: analyticsRepository(db), ownsAssistant });
  const answering = { provider, catalogue, keys, models, assistants: assistantRows, pricing, budgets };
  const chat = createChat({ database, presence, ...answering, log });

  const removeAccount = accountRemoval({
    database,
    parts: [chat.ofAccount],
    endStreams: streams.endSessions,
    forget: models.forget,
  });
  const closeAccount = accountClosing({
    confirmPassword: passwordConfirmation({ db, hashing, rates }),
    sessionBegan: removalRepository(db, database.engine).sessionBegan,
    removeAccount,
  });
  const exportAll = accountExport({
    db,
    parts: [accountPart(database), assistantExport(database), chat.exportPart],
    liveSessions: sessions.live,
  });
  const users = userService({
    database,
    config,
    refuseGuessable,
    hashPassword: hashing.hash,
    passwordLink: passwordLinks(db, config.publicUrl),
    removeAccount,
    endStreams: streams.endSessions,
    wakeJobs,
  });

  authRoutes(router, { auth, sessions, cookie, config });
  passwordRoutes(router, { passwords, confirmation });
  externalRoutes(router, {
    app,
    config,
    rates,
    sessions,
    cookie,
    flowCookie: flowCookie(config.publicUrl.protocol === 'https:'),
    flows: flowService(flowRepository(db)),
    providers: identityProviders(config),
    external,
  });
  accountRoutes(router, {
    preferences: preferencesService(preferencesRepository(db)),
    securityEvents: securityEventPages(securityEventRepository(db)),
    exportAll,
    closeAccount,
    keys,
    models,
    clearCookie: cookie.clear,
  });
  modelRoutes(router, models);
  assistantRoutes(router, { assistants, imports });
  chat.routes(router, streams);
  usageRoutes(router, { analytics, pricing, budgets });
  userRoutes(router, { users, events: accountEventService(securityEventRepository(db)) });
  operationRoutes(app, state, () => sql`select 1`.execute(db));
  describeApi(app, router.endpoints, cookie.name);
  await serveWeb(app);

  return {
    app,
    endpoints: router.endpoints,
    needsSetupCode: auth.needsSetupCode,
    /** Ends what a crash has left behind. Before anybody is let in. */
    recover: chat.recover,
    /** Takes work. */
    open() {
      state.ready = true;
      worker.start();
      upkeep = startUpkeep(expiredRows(db), log);
    },
    /** Takes no new work, lets what is under way end, and closes. */
    async close() {
      state.ready = false;
      await Promise.all([chat.close(), worker.stop(), upkeep?.stop()]);
      mail.close();
      streams.close();
      await app.close();
      await provider.close();
    },
  };
}
