import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config/config';
import { defaultToolTimeouts, type ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { ToolRegistry } from '#server/conversation/tools';
import type { OpenDatabase } from '#server/db/connect';
import { isPostgres } from '#server/db/engine';
import type { Presence } from '#server/db/presence';
import type { ConnectionTimeouts } from '#server/http/limits/connections';
import { createRateLimits } from '#server/http/limits/rate-limits';
import { createSharedRateLimits } from '#server/http/limits/shared-rate-limits';
import { createServer } from '#server/http/server';
import { sessionCookie } from '#server/http/sessions/cookie';
import { liveSessions, sessionService } from '#server/http/sessions/sessions';
import { createEventStreams } from '#server/http/streaming/event-stream';
import { createResponseRegistry } from '#server/http/streaming/response-registry';
import { version } from '#server/lib/version';
import { recordMailTimes } from '#server/mail/record-outcomes';
import { createMailTransport } from '#server/mail/transport';
import { noMetrics } from '#server/metrics/metrics';
import { type Catalogue, loadCatalogue } from '#server/provider/catalogue/catalogue';
import { connectionAddresses } from '#server/provider/connections/address-policy';
import { createProviders } from '#server/provider/connections/providers';
import { providerKeyService } from '#server/provider/keys/provider-key';
import { type ProviderTimeouts, providerTimeouts } from '#server/provider/transport/timeouts';
import type { HashingCost } from '#server/security/password-hashing';
import { createVault } from '#server/security/vault';
import { createFileStore, openFileStore } from '#server/storage/create';
import { hasFiles } from '#server/storage/file-record-repository';
import { noTracing } from '#server/tracing/tracing';

/** A registry that takes the place of the tool servers. */
export type ToolsForTests = { box: ToolRegistry; callMs?: number };

export type ForTests = {
  /** Parses every response with its contract. */
  checkResponses?: boolean;
  hashingCost?: HashingCost;
  connectionTimes?: ConnectionTimeouts;
  jobTimes?: { pollMs: number };
  providerTimes?: ProviderTimeouts;
  toolTimes?: ToolTimeouts;
  /** The clock for everything that depends on the day. */
  now?: () => number;
  tools?: ToolsForTests;
};

export type AppContext = {
  config: Config;
  database: OpenDatabase;
  presence: Presence;
  log: FastifyBaseLogger;
  setupCode: string;
};

/** Creates what the server and all features share. */
export async function createServices(context: AppContext, forTests: ForTests) {
  const { config, database, log } = context;
  const { db } = database;
  const { hashingCost, now = Date.now, toolTimes = defaultToolTimeouts } = forTests;
  const { providerTimes = providerTimeouts(config) } = forTests;
  const catalogue = loadCatalogue(config.modelCatalogue);
  const prometheus = config.metrics && (await loadPrometheus(catalogue));
  const metrics = prometheus?.metrics ?? noMetrics;
  const tracing = config.traces ? await loadTracing(config.traces, log) : noTracing;
  const { proxyFor } = config;
  const vault = createVault(config.masterKeys);
  const { provider, openConnection, openOffered, offeredPrices, forgetClient } = await createProviders({
    ...{ db, vault, catalogue, config: config.provider, proxyFor, times: providerTimes, metrics, tracing },
    connector: connectionAddresses(config).connector,
  });
  return {
    ...context,
    ...createHttpServices(context, { metrics, tracing, times: forTests.connectionTimes }),
    mail: recordMailTimes(createMailTransport(config, log), db, log),
    hashingCost,
    catalogue,
    metrics,
    prometheus,
    tracing,
    provider,
    providerTimes,
    toolTimes,
    now,
    // With files on record, a missing folder is lost, not new: creating an empty one would accept uploads beside lost files.
    store: await ((await hasFiles(db)) ? openFileStore(config) : createFileStore(config)),
    vault,
    keys: providerKeyService({ db, vault, provider, config, openConnection }),
    openConnection,
    forgetClient,
    openOffered,
    offeredPrices,
  };
}

/** The server with its sessions, open responses and rate limits. */
function createHttpServices(
  { config, database: { db }, log }: AppContext,
  options: Parameters<typeof createServer>[2],
) {
  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const openResponses = createResponseRegistry(liveSessions(db), (error) =>
    log.error({ err: error }, 'session check failed'),
  );
  return {
    app: createServer(config, log, options),
    rates: createRateLimits({
      scale: config.rateLimitScale,
      shared: isPostgres(db) ? createSharedRateLimits(db, warn('sharing rate counts failed')) : undefined,
    }),
    cookie: sessionCookie(config.publicUrl.protocol === 'https:'),
    openResponses,
    streams: createEventStreams(openResponses),
    onSessionsEnded: openResponses.endSessions,
    sessions: sessionService(db, openResponses.endSessions),
  };
}

/** Loaded lazily to save memory when metrics are off. */
async function loadPrometheus(catalogue: Catalogue) {
  const { createPrometheus } = await import('#server/metrics/prometheus');
  return createPrometheus(catalogue, version);
}

/** Loaded lazily to save memory when tracing is off. */
async function loadTracing({ url, headers, service }: NonNullable<Config['traces']>, log: FastifyBaseLogger) {
  const [{ createExporter }, { createTracing }] = await Promise.all([
    import('#server/tracing/exporter'),
    import('#server/tracing/collector'),
  ]);
  const resource = { 'service.name': service, 'service.version': version };
  const onProblem = (error: unknown) => log.warn({ err: error }, 'traces did not reach their collector');
  return createTracing(createExporter({ url, headers: JSON.parse(headers.reveal()), resource, onProblem }));
}

export type Services = Awaited<ReturnType<typeof createServices>>;
