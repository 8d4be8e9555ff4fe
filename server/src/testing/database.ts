import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Role, UserStatus } from '@roster/contracts/auth';
import { CompiledQuery, type DatabaseConnection, type Dialect, Kysely } from 'kysely';
import { openDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { openSqlite, sqliteDialect } from '#server/db/sqlite';
import { bindable } from '#server/db/statements';

/** A second connection to the database of a running app, without the lock that excludes a second Roster. */
export async function withDatabase<T>(
  app: { dataDir: string; databaseUrl: string | undefined },
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  const db = app.databaseUrl
    ? openDatabase(app.databaseUrl, app.dataDir).db
    : new Kysely<Database>({ dialect: besideOnThisThread(join(app.dataDir, 'roster.db')) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * The app holds SQLite's lock until the end of an event loop turn. Waiting on the same thread would deadlock, so a
 * locked statement is retried in the next turn.
 */
function besideOnThisThread(file: string): Dialect {
  const database = openSqlite(file, 'off');
  database.exec('pragma busy_timeout = 0');
  const dialect = sqliteDialect(database);
  async function executeQuery<R>({ sql, parameters }: CompiledQuery) {
    for (;;)
      try {
        const statement = database.prepare(sql);
        const values = bindable(parameters);
        if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] };
        return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'database is locked') throw error;
        await nextTurn();
      }
  }
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery() {
      throw new Error('Not needed beside');
    },
  };
  const say = (sql: string) => async () => void (await executeQuery(CompiledQuery.raw(sql)));
  return {
    ...dialect,
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: say('begin immediate'),
      commitTransaction: say('commit'),
      rollbackTransaction: say('rollback'),
      releaseConnection: async () => undefined,
      destroy: async () => database.close(),
    }),
  };
}

/** Changes a user as an administrator or operator would. */
export async function setUser(
  app: { dataDir: string; databaseUrl: string | undefined },
  email: string,
  change: { role: Role } | { status: UserStatus },
) {
  await withDatabase(app, (db) => db.updateTable('users').set(change).where('email', '=', email).execute());
}
