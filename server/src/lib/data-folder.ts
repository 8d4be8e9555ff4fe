import { mkdirSync, statSync } from 'node:fs';
import { reasonOf, StartupError } from './errors.ts';

/** Its owner's only. @throws StartupError */
export function makeDataFolder(dataDir: string) {
  orUnusable(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
}

/** What to do about a file or folder of another user, the usual reason; undefined: all of it is Roster's own. */
function ownedByAnother(place: string): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  // SQLite's files beside a database may be left by a command that another user gave.
  for (const path of [place, `${place}-wal`, `${place}-shm`]) {
    const owner = ownerOf(path);
    if (owner !== undefined && owner !== own)
      return `${path} belongs to the user ${owner}, and Roster runs as ${own}: give it to that user (chown), or set DATA_DIR to a folder of its own.`;
  }
  return undefined;
}

/** undefined: it is not there, or in a folder that may not be looked into. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** @throws StartupError with the system's own reason: no folder, not allowed, read-only, a damaged file */
export function orUnusable<T>(place: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(
      `${place} cannot be used: ${reasonOf(cause)}. ${ownedByAnother(place) ?? 'Set DATA_DIR to a folder that Roster may write to.'}`,
      { cause },
    );
  }
}
