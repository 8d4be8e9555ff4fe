import { mkdirSync } from 'node:fs';
import { CannotStart, reasonOf } from './errors.ts';

/** Its owner's only. @throws CannotStart */
export function makeDataFolder(dataDir: string) {
  orUnusable(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
}

/** @throws CannotStart with the system's own reason: no folder, not allowed, read-only, a damaged file */
export function orUnusable<T>(place: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof CannotStart) throw cause;
    throw new CannotStart(
      `${place} cannot be used: ${reasonOf(cause)}. Set DATA_DIR to a folder that Roster may write to.`,
      { cause },
    );
  }
}
