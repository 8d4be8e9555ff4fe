import { mkdirSync, statSync } from 'node:fs';
import { failureReason, StartupError } from './errors.ts';

/** Creates the folder, readable by its owner only. @throws StartupError */
export function createDataFolder(dataDir: string) {
  orStartupError(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
}

/**
 * A hint about a file or folder that another user owns, which is the usual cause; undefined if Roster owns all of it.
 */
function ownedByAnother(place: string): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  // SQLite's -wal and -shm files may have been left by a command that another user ran.
  for (const path of [place, `${place}-wal`, `${place}-shm`]) {
    const owner = ownerOf(path);
    if (owner !== undefined && owner !== own)
      return `${path} belongs to the user ${owner}, and Roster runs as ${own}: give it to that user (chown), or set DATA_DIR to a folder of its own.`;
  }
  return undefined;
}

/** undefined if the file is missing or its folder cannot be read. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** @throws StartupError with the system's reason: not a folder, no permission, read-only, a damaged file */
export function orStartupError<T>(place: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(
      `${place} cannot be used: ${failureReason(cause)}. ${ownedByAnother(place) ?? 'Set DATA_DIR to a folder that Roster may write to.'}`,
      { cause },
    );
  }
}
