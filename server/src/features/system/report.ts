import type { FailedJob, SystemReport } from '@roster/contracts/system';
import type { Installation } from '#server/config/config';
import { backupRecordRepository } from '#server/db/backup-record-repository';
import type { OpenDatabase } from '#server/db/connect';
import { schemaState } from '#server/db/migrate';
import { listServers } from '#server/db/presence';
import { lastBackup, lastMailFailure, lastMailSent, readTimestamp } from '#server/db/timestamps-repository';
import { jobRepository } from '#server/jobs/repository';
import { AppError } from '#server/lib/errors';
import { version } from '#server/lib/version';
import { UnresponsiveError, withDeadline } from '#server/lib/watchdog';
import { failureClass } from '#server/logging/failure';
import type { FileStore } from '#server/storage/file-store';
import { freeDiskBytes, upgradeBackups } from './folders.ts';
import { systemRepository } from './repository.ts';
import { systemWarnings } from './warnings.ts';

export type SystemSources = {
  database: OpenDatabase;
  store: FileStore;
  installation: Installation;
};

/** Time after which a part that hangs no longer delays the others. */
const partMs = 2_000;
const givenUpShown = 50;

type Part<Answer> = { answer: Answer | null; problem: string | null };

async function queryPart<Answer>(work: () => Promise<Answer>): Promise<Part<Answer>> {
  try {
    return { answer: await withDeadline(partMs, work()), problem: null };
  } catch (error) {
    return { answer: null, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof UnresponsiveError) return `No response within ${partMs / 1_000} s.`;
  return `It failed: ${failureClass(error)}.`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round((performance.now() - started) * 10) / 10;
}

/** Status of the installation. All parts are queried concurrently, each with its own timeout. */
export async function systemReport(looked: SystemSources): Promise<SystemReport> {
  const { database, store, installation } = looked;
  const { dataDir, minFreeDiskBytes: minimumBytes, mail } = installation;
  const { db } = database;
  const [processes, ofDatabase, storage, files, disk, jobs, ofMail, backups] = await Promise.all([
    queryPart(() => listServers(database)),
    queryPart(() => databaseState(database)),
    queryPart(async () => {
      const latencyMs = await timed(store.check);
      return { kind: installation.storeKind, latencyMs, freeBytes: (await store.freeBytes()) ?? null };
    }),
    queryPart(() => systemRepository(database.reader).files()),
    queryPart(async () => ({ freeBytes: await freeDiskBytes(dataDir), minimumBytes })),
    queryPart(() => jobState(database)),
    queryPart(async () => ({
      delivers: mail !== undefined,
      lastSentAt: (await readTimestamp(db, lastMailSent))?.at ?? null,
      lastFailure: (await readTimestamp(db, lastMailFailure)) ?? null,
    })),
    queryPart(async () => ({
      ...(await backupState(db, installation)),
      beforeUpgrades: await upgradeBackups(dataDir),
    })),
  ]);
  const at = new Date().toISOString();
  const parts = { processes, database: ofDatabase, storage, files, disk, jobs, mail: ofMail, backups };
  const warnings = await systemWarnings(parts, installation, { now: Date.parse(at), file: database.file });
  return { version, runtime: process.version, at, ...parts, warnings };
}

async function databaseState({ db, engine }: OpenDatabase) {
  const repository = systemRepository(db);
  const latencyMs = await timed(repository.answers);
  const schema = await schemaState(db).catch((error: unknown) => {
    if (error instanceof AppError) return 'older' as const;
    throw error;
  });
  return { engine, latencyMs, schema, ...(await repository.size()) };
}

async function backupState(db: OpenDatabase['db'], { backsUp }: Installation) {
  const last = (await readTimestamp(db, lastBackup)) ?? null;
  const record = backsUp ? await backupRecordRepository(db).find() : undefined;
  const failedAt = record?.failure ? record.finishedAt : null;
  return { last, failedAt: failedAt !== null && failedAt > (last?.at ?? '') ? failedAt : null };
}

async function jobState({ db, reader }: OpenDatabase) {
  const { oldestDueAt, ...counts } = await jobRepository(reader).counts(new Date().toISOString());
  const rows = await jobRepository(db).newestGivenUp(givenUpShown);
  const newestGivenUp = rows.map(
    ({ id, kind, created_at, given_up_at, attempts, error_class }): FailedJob => ({
      id,
      kind,
      createdAt: created_at,
      givenUpAt: given_up_at ?? created_at,
      attempts,
      failure: error_class ?? 'unknown',
    }),
  );
  return { ...counts, oldestDueAt, newestGivenUp };
}
