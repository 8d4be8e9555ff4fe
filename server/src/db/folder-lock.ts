import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CannotStart } from '../errors.ts';

/**
 * One process per data folder. An exclusive transaction on a small database of its own: the operating system releases
 * it when the process ends, however it ends.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const lock = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 });
  try {
    // A database in memory-journal mode leaves no journal behind that the next start would have to recover.
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    lock.close();
    throw new CannotStart(`Another Roster is running on the data folder ${dataDir}. Stop it first.`, { cause });
  }
  return { release: () => lock.close() };
}
