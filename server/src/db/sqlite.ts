import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { DatabaseFullError, UnavailableError } from '#server/lib/errors';
import { groupingDriver } from './sqlite-driver.ts';

/** The durability of a commit. Only `full` survives a power cut; `off` survives only the end of the process. */
export type Synchronous = 'full' | 'off';

/** Opens a database file with full synchronous commits, so that acknowledged writes survive a power cut. */
export function openSqlite(file: string, synchronous: Synchronous = 'full'): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma cache_size = -16000; pragma temp_store = memory`,
  );
  return database;
}

/** SQLite's result codes for a failing disk: input/output error and damaged file. */
const diskFailureCodes = new Set([10, 11]);

/** Another connection, such as an operator's command, writes for longer than we wait; or the file is read-only. */
const unavailableCodes = new Set([5, 6, 8]);
/** No room for the file or its log, or (SQLITE_IOERR_SHMSIZE) for the log's index, which loses nothing. */
const isFull = (code: number) => (code & 0xff) === 13 || code === 4874;

const codeOf = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;

function toDatabaseError(error: unknown): unknown {
  const code = codeOf(error);
  if (unavailableCodes.has(code & 0xff)) return new UnavailableError('database', error);
  if (isFull(code)) return new DatabaseFullError(error);
  return error;
}

/** Transactions take turns in the driver instead of in Kysely, because the driver knows which may share a commit. */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

type Watching = {
  /** Ends the process: after a failed write or fsync it is unknown what is really stored. */
  onDiskFailure?: (error: unknown) => void;
  onFull?: () => void;
};

export function sqliteDialect(database: DatabaseSync, { onDiskFailure, onFull }: Watching = {}): Dialect {
  function watched(error: unknown) {
    const code = codeOf(error);
    if (isFull(code)) onFull?.();
    else if (diskFailureCodes.has(code & 0xff)) onDiskFailure?.(error);
    return toDatabaseError(error);
  }
  return {
    createAdapter: () => new SharedAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => groupingDriver(database, watched),
  };
}
