import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { OpenDatabase } from './db/connect.ts';
import type { Presence } from './db/presence.ts';
import { type ProviderKeyService, providerKeyService } from './features/account/provider-key.ts';
import { keyRepository } from './features/account/repository.ts';
import { accountRoutes } from './features/account/routes.ts';
import { importService } from './features/assistants/import.ts';
import { assistantRepository } from './features/assistants/repository.ts';
import { assistantRoutes } from './features/assistants/routes.ts';
import { assistantService } from './features/assistants/service.ts';
import { sessionCookie } from './features/auth/cookie.ts';
import { createPasswordHashing, type HashingCost } from './features/auth/password-hashing.ts';
import { sessionRepository } from './features/auth/repository.ts';
import { authRoutes } from './features/auth/routes.ts';
import { authService } from './features/auth/service.ts';
import { sessionService } from './features/auth/sessions.ts';
import { createChat } from './features/chat/chat.ts';
import { createFiles } from './features/files/files.ts';
import { modelRoutes } from './features/models/routes.ts';
import { modelService } from './features/models/service.ts';
import { describeApi } from './http/api-description.ts';
import { createEventStreams } from './http/event-stream.ts';
import { operationRoutes } from './http/operation.ts';
import { createRates } from './http/rates.ts';
import { createRouter } from './http/router.ts';
import { createServer } from './http/server.ts';
import { serveWeb } from './http/web-files.ts';
import { jobRepository } from './jobs/repository.ts';
import { createWorker, type JobKind } from './jobs/worker.ts';
import { createMailTransport } from './mail/transport.ts';
import { loadCatalogue } from './provider/catalogue.ts';
import { createProvider } from './provider/create.ts';
import { createVault } from './security/vault.ts';
import { createFileStore } from './storage/create.ts';

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
  const app = createServer(config, log);
  const rates = createRates(config.rateLimitScale);
  const cookie = sessionCookie(config.publicUrl.protocol === 'https:');
  const sessions = sessionService(sessionRepository(db), (ids) => streams.endSessions(ids));
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

  const catalogue = loadCatalogue(config.modelCatalogue);
  const provider = await createProvider({ db, config: config.provider });
  const keys = providerKeyService({ keys: keyRepository(db), vault: createVault(config.masterKeys), provider, config });
  const models = modelService({ provider, keys, catalogue, config });
  const hashing = createPasswordHashing(hashingCost);
  const auth = authService({ db, config, hashing, rates, setupCode });
  const assistants = assistantService({ database, models });
  const imports = importService({ db, provider, keys, models, catalogue });
  const assistantRows = assistantRepository(db);
  const files = createFiles({
    db,
    store: await createFileStore(config),
    provider,
    providerName: config.provider.name,
    keys,
    presence,
    minFreeBytes: config.minFreeDiskBytes,
    log,
    wake: worker.wake,
  });
  for (const [kind, work] of Object.entries(files.kinds)) jobKinds.set(kind, work);
  const chat = createChat({ database, presence, provider, catalogue, keys, models, assistants: assistantRows, log });

  authRoutes(router, { auth, sessions, cookie, config });
  accountRoutes(router, { keys: tellOfSavedKeys(keys, files.keySaved), models });
  modelRoutes(router, models);
  assistantRoutes(router, { assistants, imports });
  chat.routes(router, streams);
  files.routes(router);
  operationRoutes(app, state, () => sql`select 1`.execute(db));
  describeApi(app, router.endpoints, cookie.name);
  await serveWeb(app);

  return {
    app,
    endpoints: router.endpoints,
    needsSetupCode: auth.needsSetupCode,
    /** Ends what a crash has left behind. Before anybody is let in. */
    async recover() {
      await files.recover();
      return chat.recover();
    },
    /** Takes work. */
    open() {
      state.ready = true;
    },
    /** Takes no new work, lets what is under way end, and closes. */
    async close() {
      state.ready = false;
      files.stop();
      await chat.close();
      await worker.stop();
      mail.close();
      streams.close();
      await app.close();
      await provider.close();
    },
  };
}

/** What waits for a key, or failed with the old one, begins anew once one is saved. */
const tellOfSavedKeys = (keys: ProviderKeyService, tell: (userId: number) => Promise<void>): ProviderKeyService => ({
  ...keys,
  async save(userId, typed) {
    const saved = await keys.save(userId, typed);
    await tell(userId);
    return saved;
  },
});
