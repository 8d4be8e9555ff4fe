import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { createDataFolder, orStartupError } from '#server/lib/data-folder';
import { failureReason, StartupError } from '#server/lib/errors';
import { withAfterCommit } from './after-commit.ts';
import { lockFolder } from './folder-lock.ts';
import { postgresDialect } from './postgres.ts';
import { openReader } from './read-connection.ts';
import type { Database } from './schema.ts';
import { openSqlite, type Synchronous, sqliteDialect } from './sqlite.ts';

const require = createRequire(import.meta.url);

export type Engine = 'sqlite' | 'postgres';

export type OpenDatabase = {
  engine: Engine;
  db: Kysely<Database>;
  /** For queries that may take longer than about 5 ms; with PostgreSQL the same as `db`. */
  reader: Kysely<Database>;
  /** The path of the SQLite file; undefined with PostgreSQL. */
  file: string | undefined;
  /** The connections of this process to PostgreSQL, and how many callers wait for one. */
  connections?: () => { in_use: number; idle: number; waiting: number };
  /** @throws Unavailable if it cannot be used, or has no room to write */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

/** Opens PostgreSQL if `url` is given, otherwise the SQLite file in the data folder, which it locks. */
export function openDatabase(
  url: string | undefined,
  dataDir: string,
  onDiskFailure: (error: unknown) => void = () => undefined,
  synchronous?: Synchronous,
): OpenDatabase {
  createDataFolder(dataDir);
  if (url) return connectPostgres(url);
  const lock = lockFolder(dataDir);
  const file = join(dataDir, 'roster.db');
  const sqlite = orStartupError(file, () => {
    const opened = openSqlite(file, synchronous);
    // SQLite also opens a file that is only readable.
    accessSync(file, constants.R_OK | constants.W_OK);
    return opened;
  });
  let wasFull = false;
  const onFull = () => {
    wasFull = true;
  };
  const db = new Kysely<Database>({ dialect: withAfterCommit(sqliteDialect(sqlite, { onDiskFailure, onFull })) });
  const reader = openReader(file);
  return {
    engine: 'sqlite',
    db,
    reader,
    file,
    async check() {
      await answers(db);
      // Reading needs no room. Only after a full disk is it checked whether there is room again.
      if (!wasFull) return;
      wasFull = false;
      await hasRoom(db);
    },
    async close() {
      await reader.destroy();
      await db.destroy();
      lock.release();
    },
  };
}

/**
 * Connects next to a running server: skips the folder's lock, which excludes a second server, not a second writer.
 * SQLite lets writers take turns. @throws StartupError if there is no database
 */
export function openDatabaseUnlocked(url: string | undefined, dataDir: string): OpenDatabase {
  if (url) return connectPostgres(url);
  const file = join(dataDir, 'roster.db');
  if (!existsSync(file))
    throw new StartupError(
      `No Roster database was found in ${dataDir}. Set DATA_DIR or DATABASE_URL to the value that the server uses.`,
    );
  const sqlite = orStartupError(file, () => openSqlite(file));
  const db = new Kysely<Database>({ dialect: withAfterCommit(sqliteDialect(sqlite)) });
  return { engine: 'sqlite', db, reader: db, file, check: () => answers(db), close: () => db.destroy() };
}

function connectPostgres(url: string): OpenDatabase {
  // Not loaded with SQLite, to save 3 MB.
  const pg: typeof import('pg') = require('pg');
  // pg returns bigint (20) and numeric (1700, the type of sum()) as text; ours are counts and money, safe as numbers.
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
  };
  const pool = new pg.Pool({ connectionString: url, max: 10, types, connectionTimeoutMillis: 10_000 });
  // An idle connection that breaks is replaced at the next query, which reports it if that fails.
  pool.on('error', () => undefined);
  const db = new Kysely<Database>({
    dialect: withAfterCommit(
      postgresDialect(pool, () => new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_500 })),
    ),
  });
  const connections = () => ({
    in_use: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  return {
    engine: 'postgres',
    db,
    reader: db,
    file: undefined,
    connections,
    check: () => answers(db),
    close: () => db.destroy(),
  };
}

const answers = async (db: Kysely<Database>) => void (await sql`select 1`.execute(db));

const enoughRoom = 256 * 1024;

/** Writes more than the free pages can hold, and rolls it back. @throws DatabaseFullError */
async function hasRoom(db: Kysely<Database>) {
  const name = 'room_was_tried';
  const values = { name, value: 'x'.repeat(enoughRoom) };
  await db
    .insertInto('settings')
    .values(values)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute();
  await db.deleteFrom('settings').where('name', '=', name).execute();
}

/** Runs the first query. @throws StartupError with the reason */
export async function verifyDatabase({ db, file }: OpenDatabase) {
  try {
    await sql`select 1 from (select 1) as one`.execute(db);
  } catch (cause) {
    throw new StartupError(`The database ${file ?? 'in DATABASE_URL'} cannot be used: ${failureReason(cause)}.`, {
      cause,
    });
  }
}
