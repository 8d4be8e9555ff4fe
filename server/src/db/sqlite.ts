import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { AppError, Unavailable } from '#server/errors';
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

/** Another connection writes for longer than we wait, an operator's command for example. */
const busyCodes = new Set([5, 6]);
const fullCode = 13;

const codeOf = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;

function told(error: unknown): unknown {
  const code = codeOf(error);
  if (busyCodes.has(code)) return new Unavailable('database', error);
  if (code === fullCode)
    return new AppError('no_space', 'The server has no room to store this. Please tell its operator.', {
      cause: error,
    });
  return error;
}

/** Transactions take turns in the driver, not in Kysely: it knows which of them may share a commit. */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/** `onDiskFailure` ends the process: after a failed write or fsync it is unknown what is really stored. */
export function sqliteDialect(
  database: DatabaseSync,
  onDiskFailure: (error: unknown) => void = () => undefined,
): Dialect {
  function watched(error: unknown) {
    if (diskFailureCodes.has(codeOf(error))) onDiskFailure(error);
    return told(error);
  }
  return {
    createAdapter: () => new SharedAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => groupingDriver(database, watched),
  };
}
