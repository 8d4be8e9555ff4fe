import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#server/config/config';
import { type BackupRecord, backupRecordRepository } from '#server/db/backup-record-repository';
import type { OpenDatabase } from '#server/db/connect';
import { failureReason } from '#server/lib/errors';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import { backupName } from './targets.ts';
import { backUpInThread } from './thread.ts';

const lookEveryMs = 30_000;
const leaseMs = 5 * 60_000;
const renewEveryMs = 60_000;
/** After a failure, unless the schedule comes first. */
const retryAfterMs = 60 * 60_000;

type Dependencies = { config: Config; database: OpenDatabase; log: FastifyBaseLogger };
type Plan = NonNullable<Config['backups']>;
type Records = ReturnType<typeof backupRecordRepository>;

const timeIn = (ms: number) => new Date(Date.now() + ms).toISOString();
const hasPassed = (time: string | null) => time !== null && Date.parse(time) <= Date.now();

/** The scheduled time that is due, or undefined. Times missed while no process ran are made up for once. */
function dueSlot({ schedule }: Plan, record: BackupRecord): string | undefined {
  const isInProgress = record.startedAt !== null && record.finishedAt === null;
  if (isInProgress) return hasPassed(record.leaseUntil) ? record.slot : undefined;
  const now = Date.now();
  let slot: string | undefined;
  let next = schedule.next(new Date(record.slot));
  if (next.getTime() <= now) {
    // Not each missed time: the newest of the last day is as good.
    const from = new Date(Math.max(next.getTime(), now - 24 * 60 * 60_000) - 1);
    for (next = schedule.next(from); next.getTime() <= now; next = schedule.next(next)) slot = next.toISOString();
    return slot ?? new Date(now).toISOString();
  }
  const isRetryDue = record.failure !== null && record.finishedAt !== null;
  return isRetryDue && Date.parse(record.finishedAt ?? '') + retryAfterMs <= now ? record.slot : undefined;
}

const nothing = { finishedAt: null, bytes: null, verified: false, failure: null } as const;

/** Claims the due backup, unless nothing is due or another process was first. */
async function claim(records: Records, plan: Plan): Promise<BackupRecord | undefined> {
  const before = await records.find();
  if (!before) {
    await records.begin({ ...nothing, slot: timeIn(0), startedAt: null, file: null, goodAt: null, leaseUntil: null });
    return undefined;
  }
  const slot = dueSlot(plan, before);
  if (slot === undefined) return undefined;
  const startedAt = timeIn(0);
  const file = backupName(new Date(startedAt), plan.passphrase !== undefined);
  const claimed = { ...before, ...nothing, slot, startedAt, file, leaseUntil: timeIn(leaseMs) };
  return (await records.change(before, claimed)) ? claimed : undefined;
}

/** Renews the claim until the backup has ended. */
function holdClaim(records: Records, claimed: BackupRecord, log: FastifyBaseLogger) {
  let record = claimed;
  let last = Promise.resolve();
  function change(more: Partial<BackupRecord>) {
    last = last.then(async () => {
      const after = { ...record, ...more };
      if (await records.change(record, after)) record = after;
    });
    return last;
  }
  async function renew() {
    await change({ leaseUntil: timeIn(leaseMs) }).catch((err: unknown) => {
      last = Promise.resolve();
      log.warn({ err }, 'the claim of a backup could not be renewed');
    });
  }
  const timer = setInterval(() => void renew(), renewEveryMs).unref();
  return {
    async end(more: Partial<BackupRecord>) {
      clearInterval(timer);
      await last.catch(() => undefined);
      last = Promise.resolve();
      await change({ leaseUntil: null, ...more });
    },
  };
}

/** Backups by the operator's schedule; of several processes one makes each. */
export function scheduledBackups({ config, database, log }: Dependencies) {
  const { backups: plan, databaseUrl, dataDir, s3, minFreeDiskBytes } = config;
  if (!plan) return { tasks: [], close: () => undefined };
  const { target, keep, passphrase } = plan;
  const records = backupRecordRepository(database.db);
  const stopping = new AbortController();

  async function make(claimed: BackupRecord) {
    const hold = holdClaim(records, claimed, log);
    const name = claimed.file ?? '';
    const order = { databaseUrl, dataDir, s3, minFreeDiskBytes, target, keep, passphrase, name };
    const answer = await backUpInThread(order, stopping.signal).catch((error: unknown) => ({
      failure: failureReason(error),
    }));
    // Another process, or this one after a restart, makes it at once.
    if (stopping.signal.aborted) return hold.end({ leaseUntil: timeIn(0) });
    const finishedAt = timeIn(0);
    if ('failure' in answer) {
      log.error({ event: 'backup_failed', file: name, failure: answer.failure }, 'backup failed');
      return hold.end({ finishedAt, failure: answer.failure.slice(0, 1_000) });
    }
    const { bytes, removed } = answer.made;
    log.info({ event: 'backup_made', file: name, bytes, removed }, 'backup made and read back');
    return hold.end({ finishedAt, bytes, verified: true, goodAt: finishedAt });
  }

  const scheduledTask: ScheduledTask = {
    everyMs: lookEveryMs,
    atStart: true,
    async run() {
      const claimed = await claim(records, plan);
      if (claimed) await make(claimed);
    },
  };
  return { tasks: [scheduledTask], close: () => stopping.abort(new Error('Roster is stopping')) };
}
