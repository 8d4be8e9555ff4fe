import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config/config';
import type { ToolRegistry } from '#server/conversation/tools';
import type { OpenDatabase } from '#server/db/connect';
import { isPostgres } from '#server/db/engine';
import type { Presence } from '#server/db/presence';
import { providerKeyService } from '#server/features/account/provider-key';
import { sessionCookie } from '#server/features/auth/cookie';
import type { HashingCost } from '#server/features/auth/password-hashing';
import { liveSessions, sessionService } from '#server/features/auth/sessions';
import { defaultToolTimeouts, type ToolTimeouts } from '#server/features/tool-servers/timeouts';
import { onUsageRecorded } from '#server/features/usage/repository';
import type { ConnectionTimes } from '#server/http/limits/connections';
import { createRateLimits } from '#server/http/limits/rate-limits';
import { createSharedRateLimits } from '#server/http/limits/shared-rate-limits';
import { createServer } from '#server/http/server';
import { createEventStreams } from '#server/http/streaming/event-stream';
import { createResponseRegistry } from '#server/http/streaming/response-registry';
import { version } from '#server/lib/version';
import { withLastTimes } from '#server/mail/record-outcomes';
import { createMailTransport } from '#server/mail/transport';
import { noMetrics } from '#server/metrics/metrics';
import { type Catalogue, loadCatalogue } from '#server/provider/catalogue/catalogue';
import { createProvider } from '#server/provider/create';
import { type ProviderTimeouts, providerTimeouts } from '#server/provider/transport/timeouts';
import { createVault } from '#server/security/vault';
import { createFileStore, openFileStore } from '#server/storage/create';
import { noTracing } from '#server/tracing/tracing';

/** Tools that stand for those of tool servers. */
export type ToolsForTests = { box: ToolRegistry; callMs?: number };

export type ForTests = {
  /** Parse every answer with its contract. */
  checkResponses?: boolean;
  hashingCost?: HashingCost;
  connectionTimes?: ConnectionTimes;
  jobTimes?: { pollMs: number };
  providerTimes?: ProviderTimeouts;
  toolTimes?: ToolTimeouts;
  /** What day it is, for what goes by days. */
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

/** What the server and the features are built on. */
export async function createServices(
  given: AppContext,
  {
    connectionTimes,
    hashingCost,
    providerTimes = providerTimeouts(given.config),
    toolTimes = defaultToolTimeouts,
    now = Date.now,
  }: ForTests,
) {
  const { config, database, log } = given;
  const { db } = database;
  const catalogue = loadCatalogue(config.modelCatalogue);
  const prometheus = config.metrics && (await loadPrometheus(db, catalogue));
  const metrics = prometheus?.metrics ?? noMetrics;
  const tracing = config.traces ? await loadTracing(config.traces, log) : noTracing;
  const openResponses = createResponseRegistry(liveSessions(db), (error) =>
    log.error({ err: error }, 'checking sessions failed'),
  );
  const provider = await createProvider({
    db,
    config: config.provider,
    proxyFor: config.proxyFor,
    times: providerTimes,
    metrics,
    tracing,
  });
  const vault = createVault(config.masterKeys);
  return {
    ...given,
    app: createServer(config, log, { metrics, tracing, times: connectionTimes }),
    rates: createRateLimits({
      scale: config.rateLimitScale,
      shared: isPostgres(db)
        ? createSharedRateLimits(db, (error) => log.warn({ err: error }, 'rates were not shared'))
        : undefined,
    }),
    cookie: sessionCookie(config.publicUrl.protocol === 'https:'),
    openResponses,
    streams: createEventStreams(openResponses),
    onSessionsEnded: openResponses.endSessions,
    sessions: sessionService(db, openResponses.endSessions),
    mail: withLastTimes(createMailTransport(config, log), db, log),
    hashingCost,
    catalogue,
    metrics,
    prometheus,
    tracing,
    provider,
    providerTimes,
    toolTimes,
    now,
    store: await ((await hasFiles(db)) ? openFileStore(config) : createFileStore(config)),
    vault,
    keys: providerKeyService({ db, vault, provider, config }),
  };
}

/** Then a folder of files that is not there is not new, but lost: an empty one in its place would take uploads. */
async function hasFiles(db: OpenDatabase['db']): Promise<boolean> {
  return (await db.selectFrom('files').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Not loaded where nobody asks for metrics: it takes memory. */
async function loadPrometheus(db: OpenDatabase['db'], catalogue: Catalogue) {
  const { createPrometheus } = await import('#server/metrics/prometheus');
  const prometheus = createPrometheus(catalogue, version);
  onUsageRecorded(db, prometheus.metrics.used);
  return prometheus;
}

/** Likewise where there is no collector. */
async function loadTracing({ url, headers, service }: NonNullable<Config['traces']>, log: FastifyBaseLogger) {
  const [{ createExporter }, { tracingTo }] = await Promise.all([
    import('#server/tracing/exporter'),
    import('#server/tracing/collector'),
  ]);
  const resource = { 'service.name': service, 'service.version': version };
  const onProblem = (error: unknown) => log.warn({ err: error }, 'traces did not reach their collector');
  return tracingTo(createExporter({ url, headers: JSON.parse(headers.reveal()), resource, onProblem }));
}

export type Services = Awaited<ReturnType<typeof createServices>>;
