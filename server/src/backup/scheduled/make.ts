import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { digest } from '#server/backup/archive';
import { backUp } from '#server/backup/back-up';
import { backupBytes } from '#server/backup/dump-repository';
import type { Config } from '#server/config/config';
import { type OpenDatabase, openDatabaseUnlocked } from '#server/db/connect';
import { checkSchema } from '#server/db/migrate';
import { lastBackup, saveTimestamp } from '#server/db/timestamps-repository';
import { CliError } from '#server/lib/cli-error';
import type { Secret } from '#server/security/secret';
import { openFileStore } from '#server/storage/create';
import { encrypt } from './age.ts';
import { type BackupTarget, openTarget, type TargetPlace } from './targets.ts';

export type BackupOrder = Pick<Config, 'databaseUrl' | 'dataDir' | 's3' | 'minFreeDiskBytes'> & {
  target: TargetPlace;
  keep: number;
  passphrase: Secret | undefined;
  name: string;
};

export type MadeBackup = { bytes: number; removed: string[] };

const workName = /^scheduled\.tar(\.part|\.db\.part)?$/;

/** Makes one backup, reads it back from its target, and then deletes surplus ones. */
export async function makeBackup(order: BackupOrder): Promise<MadeBackup> {
  const folder = join(order.dataDir, 'backups');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await clear(folder);
  const database = openDatabaseUnlocked(order.databaseUrl, order.dataDir);
  try {
    const file = join(folder, 'scheduled.tar');
    const { createdAt } = await writeWhole(order, database, folder, file);
    const made = await storeAtTarget(order, file);
    await saveTimestamp(database.db, lastBackup, { at: createdAt, name: order.name, bytes: made.bytes });
    return made;
  } finally {
    await database.close();
    await clear(folder);
  }
}

async function clear(folder: string) {
  for (const name of (await readdir(folder)).filter((name) => workName.test(name))) await rm(join(folder, name));
}

async function writeWhole(order: BackupOrder, database: OpenDatabase, folder: string, file: string) {
  const { dataDir, s3, minFreeDiskBytes } = order;
  await checkSchema(database);
  // A full disk would keep users from writing, so rather make no backup.
  const { bavail, bsize } = await statfs(folder);
  const needed = await backupBytes(database);
  if (bavail * bsize - needed < minFreeDiskBytes)
    throw new CliError(
      `There is not enough space in ${folder}: a backup needs about ${needed} bytes besides MIN_FREE_DISK_BYTES.`,
    );
  return backUp(database, await openFileStore({ dataDir, s3 }), file);
}

async function storeAtTarget({ target: place, s3, name, keep, passphrase }: BackupOrder, file: string) {
  const target = openTarget(place, s3);
  const plain = createReadStream(file);
  const sent = hashWhilePassing(passphrase ? encrypt(plain, passphrase) : plain);
  await target.put(name, sent.content);
  const { bytes, sha256 } = sent.whole();
  const found = await target.read(name).then(digest);
  if (found.sha256 !== sha256) {
    await target.remove(name);
    throw new CliError(
      `${name} was read back with other bytes than were written. It was removed, and earlier ones were kept.`,
    );
  }
  return { bytes, removed: await removeOld(target, keep, name) };
}

/** Passes the content on, and afterwards tells its size and hash. */
function hashWhilePassing(content: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  const gone = { bytes: 0 };
  async function* through() {
    for await (const piece of content) {
      hash.update(piece);
      gone.bytes += piece.length;
      yield piece;
    }
  }
  return { content: through(), whole: () => ({ bytes: gone.bytes, sha256: hash.digest('hex') }) };
}

async function removeOld(target: BackupTarget, keep: number, newest: string): Promise<string[]> {
  const names = (await target.names()).toSorted().toReversed();
  const old = names.filter((name) => name !== newest).slice(keep - 1);
  for (const name of old) await target.remove(name);
  return old;
}
