import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { ToolBox } from './conversation/tools.ts';
import type { OpenDatabase } from './db/connect.ts';
import { isPostgres } from './db/engine.ts';
import type { Presence } from './db/presence.ts';
import { providerKeyService } from './features/account/provider-key.ts';
import { sessionCookie } from './features/auth/cookie.ts';
import type { HashingCost } from './features/auth/password-hashing.ts';
import { liveSessions, sessionService } from './features/auth/sessions.ts';
import { type ToolTimes, usualToolTimes } from './features/tool-servers/times.ts';
import type { ConnectionTimes } from './http/connections.ts';
import { createEventStreams } from './http/event-stream.ts';
import { createOpenResponses } from './http/open-responses.ts';
import { createRates } from './http/rates.ts';
import { createServer } from './http/server.ts';
import { createSharedRates } from './http/shared-rates.ts';
import { createMailTransport } from './mail/transport.ts';
import { loadCatalogue } from './provider/catalogue.ts';
import { createProvider } from './provider/create.ts';
import { type ProviderTimes, usualProviderTimes } from './provider/times.ts';
import { createVault } from './security/vault.ts';
import { createFileStore } from './storage/create.ts';

/** Tools that stand for those of tool servers. */
export type ToolsForTests = { box: ToolBox; callMs?: number };

export type ForTests = {
  /** Parse every answer with its contract. */
  checkResponses?: boolean;
  hashingCost?: HashingCost;
  connectionTimes?: ConnectionTimes;
  jobTimes?: { pollMs: number };
  providerTimes?: ProviderTimes;
  toolTimes?: ToolTimes;
  tools?: ToolsForTests;
};

export type Given = {
  config: Config;
  database: OpenDatabase;
  presence: Presence;
  log: FastifyBaseLogger;
  setupCode: string;
};

/** What the server and the features are built on. */
export async function foundation(
  given: Given,
  { connectionTimes, hashingCost, providerTimes = usualProviderTimes, toolTimes = usualToolTimes }: ForTests,
) {
  const { config, database, log } = given;
  const { db } = database;
  const openResponses = createOpenResponses(liveSessions(db), (error) =>
    log.error({ err: error }, 'checking sessions failed'),
  );
  const provider = await createProvider({ db, config: config.provider, times: providerTimes });
  const vault = createVault(config.masterKeys);
  return {
    ...given,
    app: createServer(config, log, connectionTimes),
    rates: createRates({
      scale: config.rateLimitScale,
      shared: isPostgres(db)
        ? createSharedRates(db, (error) => log.warn({ err: error }, 'rates were not shared'))
        : undefined,
    }),
    cookie: sessionCookie(config.publicUrl.protocol === 'https:'),
    openResponses,
    streams: createEventStreams(openResponses),
    onSessionsEnded: openResponses.endSessions,
    sessions: sessionService(db, openResponses.endSessions),
    mail: createMailTransport(config, log),
    hashingCost,
    catalogue: loadCatalogue(config.modelCatalogue),
    provider,
    providerTimes,
    toolTimes,
    store: await createFileStore(config),
    vault,
    keys: providerKeyService({ db, vault, provider, config }),
  };
}

export type Foundation = Awaited<ReturnType<typeof foundation>>;
