import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteTables } from '#server/backup/dump-repository';
import { fillInTransaction, openEmptyTarget } from '#server/backup/empty-target';
import { openDatabase } from '#server/db/connect';
import { checkSchema } from '#server/db/migrate';
import { CliError } from '#server/lib/cli-error';

type Place = { databaseUrl: string | undefined; dataDir: string };

/**
 * Copies a SQLite installation, whose server is stopped, into an empty PostgreSQL database. Files stay where they are.
 */
export async function migrateTo({ databaseUrl, dataDir }: Place, url: string): Promise<string> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new CliError(
      '“migrate-to” takes the address of a PostgreSQL database: postgres://USER:PASSWORD@HOST/DATABASE',
    );
  if (databaseUrl)
    throw new CliError(
      'DATABASE_URL is set, so this installation already uses PostgreSQL. Unset it to copy the SQLite database.',
    );
  const file = join(dataDir, 'roster.db');
  if (!existsSync(file))
    throw new CliError(`No Roster database was found in ${dataDir}. Set DATA_DIR to the value that the server uses.`);
  // Holds the folder's lock until everything is copied.
  const source = openDatabase(undefined, dataDir);
  try {
    await checkSchema(source);
    const target = await openEmptyTarget(url, dataDir, 'the PostgreSQL database');
    const tables = sqliteTables(file);
    try {
      const counts = await fillInTransaction(target, tables, 'the PostgreSQL database');
      const rows = [...counts.values()].reduce((total, count) => total + count, 0);
      return (
        `All ${rows} rows are in the PostgreSQL database, counted table by table. Files and the master key stay where they are.\n` +
        `Set DATABASE_URL to that address before starting the server. ${file} was left as it is: move it away once the server runs, so that it is not used by mistake.`
      );
    } finally {
      tables.close();
      await target.close();
    }
  } finally {
    await source.close();
  }
}
