import type { OpenDatabase } from '#server/db/connect';
import { withDeadline } from '#server/lib/watchdog';
import type { Figures } from '#server/metrics/prometheus';
import { type SystemSources, systemReport } from './report.ts';
import { systemRepository } from './repository.ts';

const runsMs = 2_000;

export async function systemMetrics(looked: SystemSources): Promise<Figures> {
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
