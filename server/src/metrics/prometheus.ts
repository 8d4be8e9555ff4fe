import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Metrics } from './metrics.ts';

/** Values that are read only when the metrics are requested. */
export type Figures = {
  processes?: number | undefined;
  databaseUp: boolean;
  databaseBytes?: number | undefined;
  storageUp: boolean;
  files?: { count: number; bytes: number } | undefined;
  diskFreeBytes?: number | undefined;
  jobs?: { byState: Record<string, number>; oldestDueSeconds: number } | undefined;
  runs?: Record<string, number> | undefined;
  connections?: Record<string, number> | undefined;
  hasBackupFailed?: boolean | undefined;
  backupAgeSeconds?: number | undefined;
};

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
const requestSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const firstTokenSeconds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const passedOnSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05];

export function createPrometheus(catalogue: Pick<Catalogue, 'family'>, version: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'roster_info', help: 'The version of Roster', labelNames: ['version'], registers: [registry] }).set(
    { version },
    1,
  );
  return {
    metrics: createCounters(registry, catalogue),
    contentType: registry.contentType,
    /** All metrics as text, with current figures. */
    async text(figures: Figures): Promise<string> {
      return `${await registry.metrics()}\n${await createGauges(figures).metrics()}`;
    },
  };
}

function createCounters(registry: Registry, catalogue: Pick<Catalogue, 'family'>): Metrics {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });

  const requests = histogram('roster_http_request_duration_seconds', 'Requests answered', requestSeconds, [
    'method',
    'route',
    'status',
  ]);
  const firstTokens = histogram(
    'roster_time_to_first_token_seconds',
    'From the start of a run to the first text of its answer',
    firstTokenSeconds,
    [],
  );
  const passed = histogram(
    'roster_token_delay_seconds',
    'Added by Roster to what the provider sends: from its arrival to its being written to all readers',
    passedOnSeconds,
    [],
  );
  const ended = counter('roster_runs_ended_total', 'Answers that ended', ['state']);
  const runFailures = counter('roster_run_failures_total', 'Answers that failed', ['code']);
  const providerFailures = counter('roster_provider_failures_total', 'Calls to the provider that failed', ['code']);
  const tokens = counter('roster_tokens_total', 'Tokens of calls to the provider', ['model', 'kind']);
  const cost = counter('roster_cost_usd_total', 'Estimated cost of calls to the provider', ['model']);

  return {
    request: (method, route = 'none', status, seconds) =>
      requests.observe({ method: methods.has(method) ? method : 'other', route, status }, seconds),
    firstToken: (seconds) => firstTokens.observe(seconds),
    passedOn: (seconds) => passed.observe(seconds),
    runEnded(state, failure) {
      ended.inc({ state });
      if (failure !== undefined) runFailures.inc({ code: failure });
    },
    providerFailed: (code) => providerFailures.inc({ code }),
    used({ purpose, model: name, costUsd, ...counts }) {
      const model = purpose === 'tool' ? 'tools' : catalogue.family(name);
      tokens.inc({ model, kind: 'input' }, counts.inputTokens);
      tokens.inc({ model, kind: 'cached' }, counts.cachedTokens);
      tokens.inc({ model, kind: 'output' }, counts.outputTokens);
      tokens.inc({ model, kind: 'reasoning' }, counts.reasoningTokens);
      if (costUsd !== null) cost.inc({ model }, costUsd);
    },
  };
}

/** Unknown figures are omitted, so the gauges are built for each scrape. */
function createGauges(figures: Figures): Registry {
  const registry = new Registry();
  function gauge(name: string, help: string, value: number | undefined) {
    if (value !== undefined) new Gauge({ name, help, registers: [registry] }).set(value);
  }
  function gauges<Label extends string>(name: string, help: string, label: Label, values: Record<string, number>) {
    if (Object.keys(values).length === 0) return;
    const one = new Gauge({ name, help, labelNames: [label], registers: [registry] });
    for (const [of, value] of Object.entries(values)) one.labels(of).set(value);
  }
  const { databaseUp, storageUp, files, jobs, runs, connections } = figures;
  gauges('roster_part_up', 'Whether a part answers', 'part', {
    database: Number(databaseUp),
    storage: Number(storageUp),
  });
  gauge('roster_processes', 'Processes that are alive on the database', figures.processes);
  gauge('roster_database_bytes', 'Size of the database', figures.databaseBytes);
  gauge('roster_files', 'Files that are kept', files?.count);
  gauge('roster_files_bytes', 'Size of the files that are kept', files?.bytes);
  gauge('roster_disk_free_bytes', 'Free room on the disk of the data folder', figures.diskFreeBytes);
  const { hasBackupFailed } = figures;
  gauge(
    'roster_backup_failed',
    'Whether the newest scheduled backup failed',
    hasBackupFailed === undefined ? undefined : Number(hasBackupFailed),
  );
  gauge('roster_backup_age_seconds', 'Since the last backup', figures.backupAgeSeconds);
  gauges('roster_jobs', 'Background jobs in the database', 'state', jobs?.byState ?? {});
  gauge('roster_job_oldest_due_seconds', 'For how long the oldest background job has been due', jobs?.oldestDueSeconds);
  gauges('roster_runs', 'Answers that are not finished, in the database', 'state', runs ?? {});
  gauges('roster_database_connections', 'Connections of this process to PostgreSQL', 'state', connections ?? {});
  return registry;
}
