import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { orUnusable } from '#server/lib/data-folder';
import { StartupError } from '#server/lib/errors';

const busy = 5;
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === busy;

/**
 * One process per data folder. An exclusive transaction on a small database of its own: the operating system releases
 * it when the process ends, however it ends.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const lock = orUnusable(dataDir, () => new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 }));
  try {
    orUnusable(dataDir, () => take(lock, dataDir));
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => lock.close() };
}

/** Whether a server has the folder. Asked only by a short reading, which keeps nobody from taking it. */
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

function take(lock: DatabaseSync, dataDir: string) {
  try {
    // A database in memory-journal mode leaves no journal behind that the next start would have to recover.
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new StartupError(`Another Roster is running on the data folder ${dataDir}. Stop it first.`, { cause });
  }
}
