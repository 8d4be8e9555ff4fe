import type { SystemReport, SystemWarning } from '@roster/contracts/system';
import type { Installation } from '#server/config/config';
import { configWarnings } from '#server/config/warnings';
import { isReadableByOthers } from './folders.ts';

type Parts = Pick<SystemReport, 'processes' | 'database' | 'storage' | 'files' | 'disk' | 'jobs' | 'mail' | 'backups'>;
type About = { now: number; file: string | undefined };

const dayMs = 24 * 60 * 60_000;
const backupAgeMs = 7 * dayMs;
/** Longer than any pause between two polls of the worker. */
const jobAgeMs = 15 * 60_000;

const problem = (text: string): SystemWarning => ({ level: 'problem', text });
const advice = (text: string): SystemWarning => ({ level: 'advice', text });

/** Warnings about what is insecure, nearly full or undone, with what to do about it. Problems come first. */
export async function systemWarnings(parts: Parts, installation: Installation, about: About): Promise<SystemWarning[]> {
  const all = [
    ...stateWarnings(parts, about),
    ...backupWarnings(parts, installation, about),
    ...(await fileWarnings(installation, about)),
    ...configWarnings(installation),
    ...installationWarnings(parts, installation),
  ];
  return all.toSorted((one, other) => Number(one.level === 'advice') - Number(other.level === 'advice'));
}

const howToBackUp =
  'Set BACKUP_SCHEDULE and BACKUP_TARGET, or make one on the server with: roster backup FILE.tar (in a clone: npm run roster -- backup FILE.tar)';

function* backupWarnings({ backups }: Parts, { backsUp }: Installation, { now }: About): Generator<SystemWarning> {
  if (!backups.answer) return;
  const { last, failedAt } = backups.answer;
  if (failedAt)
    yield problem(
      'The newest backup of BACKUP_SCHEDULE failed. See the log for the reason. It is tried again an hour later.',
    );
  if (!last && !failedAt)
    yield advice(
      `There is no backup yet. ${backsUp ? 'The first is made at the next time of BACKUP_SCHEDULE.' : howToBackUp}`,
    );
  if (last && now - Date.parse(last.at) > backupAgeMs)
    yield problem(
      `The last backup is older than 7 days. ${
        backsUp ? 'See the log for the reason, or let BACKUP_SCHEDULE make them more often.' : howToBackUp
      }`,
    );
}

function* stateWarnings({ database, disk, jobs, mail }: Parts, { now }: About): Generator<SystemWarning> {
  if (database.answer?.schema === 'older')
    yield problem('The database is older than this version. Restart the server, which brings it up to date.');
  if (database.answer?.schema === 'newer')
    yield advice('A newer version of Roster has changed the database. Bring this server up to that version too.');
  const { freeBytes, minimumBytes } = disk.answer ?? { freeBytes: Number.POSITIVE_INFINITY, minimumBytes: 0 };
  if (freeBytes < minimumBytes)
    yield problem('The disk of the data folder is full: uploads are refused. Free some space, or use a larger disk.');
  else if (freeBytes < 2 * minimumBytes)
    yield problem('The disk of the data folder is nearly full: uploads will soon be refused. Free some space.');
  const oldest = jobs.answer?.oldestDueAt;
  if (oldest && now - Date.parse(oldest) > jobAgeMs)
    yield problem('Background jobs have been due for more than 15 minutes. See the log for the reason.');
  if (jobs.answer && jobs.answer.givenUp > 0) yield advice('Background jobs failed. Fix the cause and retry them.');
  const { lastFailure, lastSentAt } = mail.answer ?? {};
  if (lastFailure && lastFailure.at > (lastSentAt ?? ''))
    yield problem('The last email could not be sent. Check SMTP_URL.');
}

async function fileWarnings({ masterKeyFile }: Installation, { file }: About): Promise<SystemWarning[]> {
  const isOpen = (path: string | undefined) =>
    path === undefined ? undefined : isReadableByOthers(path).catch(() => undefined);
  const [key, database] = await Promise.all([isOpen(masterKeyFile), isOpen(file)]);
  return [
    ...(key ? [problem('The master key file is readable by other users on this machine. Fix it with: chmod 600')] : []),
    ...(database
      ? [problem('The database file is readable by other users on this machine. Fix it with: chmod 600')]
      : []),
  ];
}

function* installationWarnings(
  { database, processes }: Parts,
  { trustProxy, storeKind }: Installation,
): Generator<SystemWarning> {
  if (database.answer?.engine === 'sqlite' && trustProxy > 1)
    yield advice('One process on SQLite runs behind several proxies. For more than one process, use PostgreSQL.');
  if ((processes.answer?.length ?? 0) > 1 && storeKind === 'folder')
    yield advice('Several processes keep files in a folder: it must be the same one for all of them, or use S3.');
}
