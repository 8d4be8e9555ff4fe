import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

export async function freeDiskBytes(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** True if other users of this machine can read it; undefined: there is no such file, or the platform cannot tell. */
export async function isReadableByOthers(file: string): Promise<boolean | undefined> {
  if (process.platform === 'win32') return undefined;
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return found && (found.mode & 0o077) !== 0;
}

/** Backups that Roster makes by itself before it changes the tables of the embedded database. */
export async function upgradeBackups(dataDir: string) {
  const folder = join(dataDir, 'backups');
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found = await Promise.all(names.filter((name) => name.endsWith('.db')).map((name) => stat(join(folder, name))));
  const newest = Math.max(...found.map(({ mtimeMs }) => mtimeMs));
  return {
    count: found.length,
    bytes: found.reduce((sum, { size }) => sum + size, 0),
    newestAt: found.length > 0 ? new Date(newest).toISOString() : null,
  };
}
