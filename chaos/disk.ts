import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { atExit } from './processes.ts';

const megabyte = 1024 * 1024;

export type SmallDisk = { folder: string; fill: () => void; free: () => void };

/** A small in-memory file system. undefined: this user may not mount one. */
export function smallDisk({ makeFolder, as }: Environment, name: string, megabytes: number): SmallDisk | undefined {
  const folder = makeFolder(name);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'roster-chaos', folder]);
  if (mounted.status !== 0) return undefined;
  if (as) chownSync(folder, as.uid, as.gid);
  // Lazily: processes that still write to it are being ended, and it disappears with them.
  atExit.push(() => void spawnSync('umount', ['-l', folder]));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const piece = Buffer.alloc(megabyte);
      try {
        for (let written = 0; written <= megabytes; written++) writeFileSync(ballast, piece, { flag: 'a' });
      } catch {
        // Full, as intended.
      }
    },
    free: () => rmSync(ballast, { force: true }),
  };
}
