import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { failureReason, StartupError } from '#server/lib/errors';
import { Secret } from '#server/security/secret';
import { InvalidScheduleError, parseSchedule } from './backup-schedule.ts';

class InvalidBackupSettingsError extends StartupError {
  override name = 'InvalidBackupSettingsError';
}

type Variables = {
  BACKUP_SCHEDULE?: string | undefined;
  BACKUP_KEEP: number;
  BACKUP_TARGET?: string | undefined;
  BACKUP_PASSPHRASE_FILE?: string | undefined;
};

const shortest = 20;

/** undefined: backups are not encrypted. */
export function readBackupPassphrase(file: string | undefined): Secret | undefined {
  if (!file) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw new InvalidBackupSettingsError(`BACKUP_PASSPHRASE_FILE: ${file} cannot be read: ${failureReason(cause)}.`, {
      cause,
    });
  }
  if (process.platform !== 'win32' && (statSync(resolve(file)).mode & 0o077) !== 0)
    throw new InvalidBackupSettingsError(
      `BACKUP_PASSPHRASE_FILE: ${file} can be read by others. Fix it with: chmod 600 '${file}'`,
    );
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase.length < shortest || passphrase.length > 1_000 || /[\r\n]/.test(passphrase))
    throw new InvalidBackupSettingsError(
      `BACKUP_PASSPHRASE_FILE: ${file} must hold one line of ${shortest} to 1000 characters. Make one with: openssl rand -base64 32`,
    );
  return new Secret(passphrase);
}

function parseTarget(target: string, hasStore: boolean) {
  if (!/^[a-z0-9]+:\/\//i.test(target)) return { folder: resolve(target) };
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,500}))?$/.exec(target) ?? [];
  if (!bucket)
    throw new InvalidBackupSettingsError(
      'BACKUP_TARGET must be a folder, or s3://BUCKET/PREFIX with the name of a bucket.',
    );
  if (!hasStore) throw new InvalidBackupSettingsError('BACKUP_TARGET names a bucket: set the S3_ variables too.');
  return { bucket, prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` };
}

/** Scheduled backups; undefined if none are configured. @throws InvalidBackupSettingsError with what to change */
export function parseBackupSettings(env: Variables, hasStore: boolean) {
  const { BACKUP_SCHEDULE: schedule, BACKUP_TARGET: target } = env;
  if (!schedule && !target) return undefined;
  if (!schedule || !target)
    throw new InvalidBackupSettingsError('Set BACKUP_SCHEDULE and BACKUP_TARGET, both or none.');
  try {
    return {
      schedule: parseSchedule(schedule),
      target: parseTarget(target, hasStore),
      keep: env.BACKUP_KEEP,
      passphrase: readBackupPassphrase(env.BACKUP_PASSPHRASE_FILE),
    };
  } catch (cause) {
    if (!(cause instanceof InvalidScheduleError)) throw cause;
    throw new InvalidBackupSettingsError(`BACKUP_SCHEDULE: ${cause.message}.`, { cause });
  }
}
