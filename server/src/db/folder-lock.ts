import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { orStartupError } from '#server/lib/data-folder';
import { StartupError } from '#server/lib/errors';

const busy = 5;
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === busy;

/**
 * One process per data folder. Holds an exclusive transaction on a small separate database: the operating system
 * releases it when the process ends, even in a crash.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const lock = orStartupError(dataDir, () => new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 }));
  try {
    orStartupError(dataDir, () => acquire(lock, dataDir));
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => lock.close() };
}

/** True if a server holds the folder. Uses a short read only, which never keeps a server from taking it. */
export function isFolderInUse(dataDir: string): boolean {
  const lock = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0, readOnly: true });
  try {
    lock.prepare('select 1 from sqlite_schema').all();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

function acquire(lock: DatabaseSync, dataDir: string) {
  try {
    // In memory-journal mode no journal is left behind for the next start to recover.
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new StartupError(`Another Roster is using the data folder ${dataDir}. Stop it first.`, { cause });
  }
}
