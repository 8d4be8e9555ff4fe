import { system as api } from '@roster/contracts/system';
import type { OpenDatabase } from '#server/db/connect';
import type { Feature } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { requeue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { withDeadline } from '#server/lib/watchdog';
import type { Figures } from '#server/metrics/prometheus';
import { type SystemSources, systemReport } from './report.ts';
import { systemRepository } from './repository.ts';

const runsMs = 2_000;

async function systemMetrics(looked: SystemSources): Promise<Figures> {
  const [report, runs] = await Promise.all([systemReport(looked), runsByState(looked.database)]);
  const { processes, database, storage, files, disk, jobs, backups, at } = report;
  const since = (then: string) => Math.max(0, (Date.parse(at) - Date.parse(then)) / 1_000);
  const ofJobs = jobs.answer;
  return {
    databaseUp: database.answer !== null,
    storageUp: storage.answer !== null,
    processes: processes.answer?.length,
    databaseBytes: database.answer?.bytes,
    files: files.answer ?? undefined,
    diskFreeBytes: disk.answer?.freeBytes,
    jobs: ofJobs
      ? {
          byState: { waiting: ofJobs.waiting, due: ofJobs.due, given_up: ofJobs.givenUp },
          oldestDueSeconds: ofJobs.oldestDueAt ? since(ofJobs.oldestDueAt) : 0,
        }
      : undefined,
    runs,
    connections: looked.database.connections?.(),
    hasBackupFailed: backups.answer ? backups.answer.failedAt !== null : undefined,
    backupAgeSeconds: backups.answer?.last ? since(backups.answer.last.at) : undefined,
  };
}

async function runsByState({ reader }: OpenDatabase): Promise<Figures['runs']> {
  const rows = await withDeadline(runsMs, systemRepository(reader).runs()).catch(() => undefined);
  if (!rows) return undefined;
  const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  return { queued: 0, running: 0, waiting: 0, ...counts };
}

function systemRoutes({ route }: Router, sources: SystemSources) {
  route(api.report, () => systemReport(sources));
  route(api.retryJob, async ({ actor, params: { id: jobId }, request }) => {
    const kind = await sources.database.db.transaction().execute(async (trx) => {
      await actor.recheckAccess(trx);
      return requeue(trx, jobId);
    });
    if (kind === undefined) throw new AppError('not_found', 'This failed job no longer exists. Refresh the page.');
    request.log.info({ event: 'job_retried', jobId, kind, by: actor.userId }, 'failed job queued again');
  });
}

export function systemFeature(sources: SystemSources) {
  return {
    routes: (router: Router) => systemRoutes(router, sources),
    /** For metrics. */
    figures: () => systemMetrics(sources),
  } satisfies Feature & { figures: unknown };
}
