import { type OpenDatabase, openDatabase } from '#server/db/connect';
import { countApplied, lockMigrations, migrate } from '#server/db/migrate';
import { countServers } from '#server/db/presence';
import { CliError } from '#server/lib/cli-error';
import { fill, hasUsers, type Table, type Tables } from './dump-repository.ts';

/** Opens a database without accounts that no server uses, as the target for a whole installation. */
export async function openEmptyTarget(
  url: string | undefined,
  dataDir: string,
  what: string,
  /** The number of migrations to apply; default: all. */
  count?: number,
): Promise<OpenDatabase> {
  const database = openDatabase(url, dataDir);
  try {
    await refuseUsed(database, what).catch((cause: unknown) => {
      if (cause instanceof CliError || !url) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(`The PostgreSQL database cannot be used: ${reason}`, { cause });
    });
    await migrate(database, undefined, count);
    if (count !== undefined && (await countApplied(database.db)) > count)
      throw new CliError(
        `The tables in ${what} are from a newer version than the backup. Nothing was changed. Use an empty database.`,
      );
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function refuseUsed(database: Pick<OpenDatabase, 'engine' | 'db'>, what: string) {
  if ((await countServers(database)) > 0) throw new CliError(`Roster is using ${what}. Stop it first.`);
  if (await hasUsers(database.db))
    throw new CliError(`There are accounts in ${what} already. Nothing was changed: it must be an empty installation.`);
}

/** Fills the target in one transaction. Returns the number of rows by table. */
export function fillInTransaction(
  { engine, db }: OpenDatabase,
  from: Tables,
  what: string,
  tables?: readonly Table[],
): Promise<Map<Table, number>> {
  return db.transaction().execute(async (trx) => {
    // A server that starts meanwhile waits for this lock too, and finds everything.
    await lockMigrations(trx, engine);
    await refuseUsed({ engine, db: trx }, what);
    return fill(trx, from, tables);
  });
}
