import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { DatabaseFullError, UnavailableError } from '#server/lib/errors';
import { groupingDriver } from './sqlite-driver.ts';

/** What a commit waits for. Only `full` survives a power cut; with `off` it survives the end of the process alone. */
export type Synchronous = 'full' | 'off';

/** A file database: full synchronous commits, so that what was acknowledged survives a power cut. */
export function openSqlite(file: string, synchronous: Synchronous = 'full'): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma cache_size = -16000; pragma temp_store = memory`,
  );
  return database;
}

/** SQLite's result codes for a disk that fails or lies: input/output error and damaged file. */
const diskFailureCodes = new Set([10, 11]);

/** Another connection writes for longer than we wait, an operator's command for example; or the file may only be read. */
const awayCodes = new Set([5, 6, 8]);
/** No room for the file or its log, and none (SQLITE_IOERR_SHMSIZE) for the index of the log, which nothing is lost with. */
const isFull = (code: number) => (code & 0xff) === 13 || code === 4874;

const codeOf = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;

function told(error: unknown): unknown {
  const code = codeOf(error);
  if (awayCodes.has(code & 0xff)) return new UnavailableError('database', error);
  if (isFull(code)) return new DatabaseFullError(error);
  return error;
}

/** Transactions take turns in the driver, not in Kysely: it knows which of them may share a commit. */
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
    return told(error);
  }
  return {
    createAdapter: () => new SharedAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => groupingDriver(database, watched),
  };
}
