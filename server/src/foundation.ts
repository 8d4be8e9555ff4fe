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
import { onUsageRecorded } from './features/usage/repository.ts';
import type { ConnectionTimes } from './http/connections.ts';
import { createEventStreams } from './http/event-stream.ts';
import { createOpenResponses } from './http/open-responses.ts';
import { createRates } from './http/rates.ts';
import { createServer } from './http/server.ts';
import { createSharedRates } from './http/shared-rates.ts';
import { withLastTimes } from './mail/last-times.ts';
import { createMailTransport } from './mail/transport.ts';
import { noMetrics } from './metrics/metrics.ts';
import { type Catalogue, loadCatalogue } from './provider/catalogue.ts';
import { createProvider } from './provider/create.ts';
import { type ProviderTimes, providerTimesOf } from './provider/times.ts';
import { createVault } from './security/vault.ts';
import { createFileStore, openFileStore } from './storage/create.ts';
import { noTracing } from './tracing/tracing.ts';
import { version } from './version.ts';

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
  /** What day it is, for what goes by days. */
  now?: () => number;
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
  {
    connectionTimes,
    hashingCost,
    providerTimes = providerTimesOf(given.config),
    toolTimes = usualToolTimes,
    now = Date.now,
  }: ForTests,
) {
  const { config, database, log } = given;
  const { db } = database;
  const catalogue = loadCatalogue(config.modelCatalogue);
  const prometheus = config.metrics && (await loadPrometheus(db, catalogue));
  const metrics = prometheus?.metrics ?? noMetrics;
  const tracing = config.traces ? await loadTracing(config.traces, log) : noTracing;
  const openResponses = createOpenResponses(liveSessions(db), (error) =>
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
  const { createPrometheus } = await import('./metrics/prometheus.ts');
  const prometheus = createPrometheus(catalogue, version);
  onUsageRecorded(db, prometheus.metrics.used);
  return prometheus;
}

/** Likewise where there is no collector. */
async function loadTracing({ url, headers, service }: NonNullable<Config['traces']>, log: FastifyBaseLogger) {
  const [{ createExporter }, { tracingTo }] = await Promise.all([
    import('./tracing/exporter.ts'),
    import('./tracing/collector.ts'),
  ]);
  const resource = { 'service.name': service, 'service.version': version };
  const onProblem = (error: unknown) => log.warn({ err: error }, 'traces did not reach their collector');
  return tracingTo(createExporter({ url, headers: JSON.parse(headers.reveal()), resource, onProblem }));
}

export type Foundation = Awaited<ReturnType<typeof foundation>>;
