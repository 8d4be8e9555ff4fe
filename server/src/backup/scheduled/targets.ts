import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '#server/config/config';
import { s3Objects } from '#server/storage/s3';

/** The place for backups, under names that Roster creates. Everything else there is left alone. */
export type BackupTarget = {
  /** Leaves nothing under this name if it fails. */
  put: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  read: (name: string) => Promise<AsyncIterable<Buffer>>;
  remove: (name: string) => Promise<void>;
  names: () => Promise<string[]>;
};

export type TargetPlace = { folder: string } | { bucket: string; prefix: string };

const isBackup = (name: string) => /^roster-\d{8}T\d{9}Z\.tar(\.age)?$/.test(name);
const isUnfinished = (name: string) => /^roster-\d{8}T\d{9}Z\.tar(\.age)?\.part$/.test(name);

/** With milliseconds: a backup must never share the name of an earlier one, which it would delete if it fails. */
export const backupName = (at: Date, isEncrypted: boolean) =>
  `roster-${at.toISOString().replaceAll(/[-:.]/g, '')}.tar${isEncrypted ? '.age' : ''}`;

async function syncFolder(folder: string) {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function folderTarget(folder: string): BackupTarget {
  return {
    async put(name, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Left by one that was cut off: only one process at a time makes a backup.
      for (const left of (await readdir(folder)).filter(isUnfinished)) await rm(join(folder, left), { force: true });
      const unfinished = join(folder, `${name}.part`);
      try {
        await pipeline(content, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
        await rename(unfinished, join(folder, name));
        await syncFolder(folder);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    read: async (name) => createReadStream(join(folder, name)),
    remove: (name) => rm(join(folder, name), { force: true }),
    names: async () => (await readdir(folder)).filter(isBackup),
  };
}

function bucketTarget(s3: NonNullable<Config['s3']>, bucket: string, prefix: string): BackupTarget {
  const objects = s3Objects({ ...s3, bucket });
  return {
    put: (name, content) => objects.put(`${prefix}${name}`, content),
    read: (name) => objects.read(`${prefix}${name}`),
    remove: (name) => objects.remove(`${prefix}${name}`),
    async names() {
      const keys = await objects.keys(prefix);
      return keys.flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : [])).filter(isBackup);
    },
  };
}

export function openTarget(place: TargetPlace, s3: Config['s3']): BackupTarget {
  if ('folder' in place) return folderTarget(place.folder);
  if (!s3) throw new Error('A bucket needs the S3_ variables');
  return bucketTarget(s3, place.bucket, place.prefix);
}
