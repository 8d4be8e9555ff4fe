import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { groupingDriver } from './sqlite-driver.ts';

/** A file database: full synchronous commits, so that what was acknowledged survives a power cut. */
export function openSqlite(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000; pragma temp_store = memory',
  );
  return database;
}

/** SQLite's result codes for a disk that fails or lies: input/output error and damaged file. */
const diskFailureCodes = new Set([10, 11]);

const isDiskFailure = (error: unknown) =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  diskFailureCodes.has(error.errcode & 0xff);

/** Transactions take turns in the driver, not in Kysely: it knows which of them may share a commit. */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/** `onDiskFailure` ends the process: after a failed write or fsync nobody knows what is really stored. */
export function sqliteDialect(
  database: DatabaseSync,
  onDiskFailure: (error: unknown) => void = () => undefined,
): Dialect {
  function watched<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDiskFailure(error)) onDiskFailure(error);
      throw error;
    }
  }
  return {
    createAdapter: () => new SharedAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => groupingDriver(database, watched),
  };
}
